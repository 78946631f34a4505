//! The protocol of a database, as far as the connector uses it, with answers of any bytes. Also used
//! by the fuzz target `postgis_rows`.

use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// `AuthenticationOk` and `ReadyForQuery`.
pub const GREETING: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

/// A message of the database.
pub fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend((body.len() as u32 + 4).to_be_bytes());
    bytes.extend(body);
    bytes
}

/// Types of the parameters and columns of a statement, as the database describes them.
fn description(statement: &str) -> Vec<u8> {
    const TEXT: u32 = 25;
    const FLOAT: u32 = 701;
    let (parameters, columns): (&[u32], &[u32]) = if statement.contains("DISTINCT") {
        (&[], &[TEXT])
    } else if statement.contains("$3") {
        (&[TEXT, TEXT, FLOAT], &[TEXT, TEXT, TEXT, FLOAT, FLOAT])
    } else {
        (&[TEXT], &[TEXT, TEXT, TEXT, FLOAT, FLOAT])
    };
    let mut types = (parameters.len() as u16).to_be_bytes().to_vec();
    types.extend(parameters.iter().flat_map(|oid| oid.to_be_bytes()));
    let mut row = (columns.len() as u16).to_be_bytes().to_vec();
    for oid in columns {
        // Name, table, column number.
        row.extend(b"c\0\0\0\0\0\0\0");
        row.extend(oid.to_be_bytes());
        // Size, modifier, format.
        row.extend([0xff; 6]);
        row.extend([0, 1]);
    }
    [message(b't', &types), message(b'T', &row)].concat()
}

/// A row of one object whose name has `name_len` bytes.
pub fn object(number: usize, name_len: usize) -> Vec<u8> {
    let mut row = 5_u16.to_be_bytes().to_vec();
    let (id, name) = (number.to_string().into_bytes(), vec![b'n'; name_len]);
    let (lon, lat) = (9.7_f64.to_be_bytes().to_vec(), 50.8_f64.to_be_bytes().to_vec());
    for column in [id, name, b"cafe".to_vec(), lon, lat] {
        row.extend((column.len() as u32).to_be_bytes());
        row.extend(column);
    }
    message(b'D', &row)
}

/// Speaks the protocol, answers a statement with `rows`, and closes the connection: an answer that
/// promises more bytes than it has is not waited for.
pub async fn speak(mut stream: TcpStream, rows: Arc<Vec<u8>>) -> std::io::Result<()> {
    let startup = stream.read_u32().await?;
    stream.read_exact(&mut vec![0; startup as usize - 4]).await?;
    stream.write_all(GREETING).await?;
    let done = message(b'C', b"SELECT 1\0");
    let ready = message(b'Z', b"I");
    let mut is_answered = false;
    loop {
        let kind = stream.read_u8().await?;
        let mut body = vec![0; stream.read_u32().await? as usize - 4];
        stream.read_exact(&mut body).await?;
        let reply = match kind {
            b'Q' => [done.clone(), ready.clone()].concat(),
            b'P' => {
                let described = description(&String::from_utf8_lossy(&body));
                [message(b'1', b""), described].concat()
            }
            b'B' => message(b'2', b""),
            b'E' => {
                is_answered = true;
                [&rows[..], &done].concat()
            }
            b'S' => ready.clone(),
            b'X' => return Ok(()),
            _ => continue,
        };
        stream.write_all(&reply).await?;
        if is_answered && kind == b'S' {
            return Ok(());
        }
    }
}
