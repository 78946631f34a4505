"""Seed inputs of the fuzz targets that read bytes: python3 fuzz/seeds.py PROGRAM CORPUS

PROGRAM is the binary `meshcloak`. CORPUS/TARGET gets the files. The seeds of targets that read text are
in fuzz/seeds/TARGET.
"""
import struct, subprocess, sys, tempfile
from pathlib import Path


def message(kind, body):
    """A message of PostgreSQL's protocol."""
    return kind + struct.pack(">I", len(body) + 4) + body


def row(*columns):
    fields = b"".join(b"\xff" * 4 if field is None else struct.pack(">I", len(field)) + field for field in columns)
    return message(b"D", struct.pack(">H", len(columns)) + fields)


def point(lon, lat):
    return struct.pack(">d", lon), struct.pack(">d", lat)


def varint(value):
    head = bytes([value & 127])
    return head if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number, value):
    """A field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(values):
    return b"".join(varint(value) for value in values)


def zigzag(values):
    """Differences of the values, as signed numbers."""
    steps = [value - before for before, value in zip([0, *values], values)]
    return packed(step << 1 if step >= 0 else (-step << 1) - 1 for step in steps)


def pbf_block():
    """Three dense nodes and a street."""
    texts = field(1, b"") + field(1, b"highway") + field(1, b"residential") + field(1, b"name") + field(1, b"Ada")
    dense = (field(1, zigzag([1, 2, 3])) + field(8, zigzag([480000000, 480010000, 480020000]))
             + field(9, zigzag([90000000, 90010000, 90000000])) + field(10, packed([0, 0, 0])))
    way = field(1, 4) + field(2, packed([1, 3])) + field(3, packed([2, 4])) + field(8, zigzag([1, 2, 3, 1]))
    return field(1, texts) + field(2, field(2, dense)) + field(2, field(3, way))


def brinkhoff(nodes, edges):
    return struct.pack(">H", len(nodes)) + nodes + edges


NODES = b"".join(b"\x01*" + struct.pack(">qii", *node) for node in [(1, 0, 5), (2, 100, 5), (7, -75, 5)])
EDGES = b"".join(struct.pack(">qq", a, b) + b"\x01*" + struct.pack(">qi", 9 * a, 3) for a, b in [(1, 2), (2, 7)])

SEEDS = {
    "postgis_rows": {
        "objects": row(b"1", b"Ada", b"cafe", *point(9.7, 50.8)) + row(b"2", b"", b"bar", *point(9.71, 50.81)),
        "nulls": row(b"1", b"Ada", b"cafe", None, None) + row(None, b"", b"", *point(0.0, 0.0)),
        "error": message(b"E", b"SERROR\0C42P01\0Mno table\0\0"),
        "notice": message(b"N", b"SNOTICE\0C00000\0Mhello\0\0") + row(b"3", b"x", b"y", *point(1e308, -1e308)),
    },
    "osm_pbf": {"block": pbf_block()},
    "brinkhoff": {
        "text": brinkhoff(b"1\t0 0 *\n2\t100 0 *\n7\t9 75 *\n", b"11 3 1 2 *\n12 0 2 7 Main St\n"),
        "binary": brinkhoff(NODES, EDGES),
    },
    "csv_map": {
        "metres": b"id,x,y\nA,0,0\nB,745,0\nC,0,1112\n\0id,from,to,length,oneway,shape,name\n"
                  b's,A,B,900,1,"LINESTRING (0 0, 10 20, 745 0)","a ""b"""\nt,B,C,,,,\n\0id,x,y,category\n1,5,5,cafe\n',
        "degrees": b"\xef\xbb\xbfid,lon,lat\r\nA,2,48\r\nB,2.01,48\r\n\0id,from,to\r\ns,A,B\r\n",
    },
}


def main(program, corpus):
    for target, seeds in SEEDS.items():
        folder = Path(corpus, target)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / f"seed-{name}").write_bytes(content)
    folder = Path(corpus, "prepared")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        streets = Path(temporary, "streets.osm")
        streets.write_text(f"<osm>{Path(__file__).with_name('seeds').joinpath('osm_xml/streets.osm').read_text()}</osm>")
        subprocess.run([program, "map", "convert", streets, folder / "seed-streets.meshmap", "-q"], check=True,
                       stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
