"""A temporary PostgreSQL server with pgRouting that holds arcs and objects."""

import os
import pwd
import subprocess
import tempfile
from glob import glob
from pathlib import Path

import psycopg


class Database:
    """Arcs as (from, to, length) and the terminals of objects; lengths are divided by `units`."""

    def __init__(self, arcs, places, units):
        self.arcs, self.places, self.units = arcs, places, units

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="peers-")
        os.chmod(self.folder.name, 0o777)
        self.programs = sorted(glob("/usr/lib/postgresql/*/bin"))[-1]
        self._run("initdb", "-D", self._data(), "-A", "trust", "-U", "postgres")
        options = f"-c listen_addresses= -c jit=off -k {self.folder.name}"
        self._run("pg_ctl", "-D", self._data(), "-o", options, "-w", "-l", f"{self._data()}/log", "start")
        self.connection = psycopg.connect(
            f"host={self.folder.name} user=postgres dbname=postgres", autocommit=True
        )
        self._load()
        return self

    def __exit__(self, *_):
        self.connection.close()
        self._run("pg_ctl", "-D", self._data(), "-m", "immediate", "stop")
        self.folder.cleanup()

    def within(self, radius):
        """Number of objects within a distance of all terminals."""
        return self._query(
            f"select count(*) from pgr_drivingDistance('{ARCS}',"
            " (select array_agg(distinct source) from arcs), %s) as found"
            " join objects on objects.place = found.node",
            radius,
        )

    def nearest(self, count):
        """Sum of the distances from all terminals to their nearest objects. The function leaves out
        the distance 0 of a terminal with an object."""
        return self._query(
            "select sum(agg_cost) from (select agg_cost, start_vid, row_number() over"
            f" (partition by start_vid order by agg_cost) as rank from pgr_dijkstraCost('{ARCS}',"
            " (select array_agg(distinct source) from arcs),"
            " (select array_agg(place) from objects))) as found"
            " left join objects on place = start_vid"
            " where rank <= %s - (place is not null)::int",
            count,
        )

    def _query(self, text, value):
        return self.connection.execute(text, [value]).fetchone()[0]

    def _load(self):
        run = self.connection.execute
        run("create extension pgrouting cascade")
        run("create table arcs (id serial, source bigint, target bigint, cost float8)")
        run("create table objects (place bigint)")
        with self.connection.cursor() as cursor:
            with cursor.copy("copy arcs (source, target, cost) from stdin") as copy:
                for source, target, length in self.arcs.tolist():
                    copy.write_row((source, target, length / self.units))
            with cursor.copy("copy objects from stdin") as copy:
                for place in self.places.tolist():
                    copy.write_row((place,))
        run("analyze")

    def _data(self):
        return f"{self.folder.name}/data"

    def _run(self, program, *arguments):
        command = [str(Path(self.programs) / program), *arguments]
        if os.getuid() == 0:
            # PostgreSQL refuses to run as root.
            os.chown(self.folder.name, pwd.getpwnam("postgres").pw_uid, -1)
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


ARCS = "select id, source, target, cost from arcs"
