//! A server of this program that ends with the test, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use serde_json::Value;

use super::{Folder, words};

/// A server that ends with the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    /// Keeps the schemas.
    _folder: Folder,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status, headers in lower case, body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

impl Server {
    pub(crate) fn start(flags: &[&str]) -> Server {
        let folder = Folder::new();
        let args = words("serve --port 0 --schemas concerts.sql --workers threads");
        let mut child = folder.start(&[&args, flags].concat());
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("http://")?.1.split_once('/')?.0.to_owned()))
            .expect("the server says where it listens");
        // Nobody reads on, and a full pipe would hold it up.
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address, _folder: folder }
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A refusal may come before all of a body is read.
        let _ = stream.write_all(body.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "", &body.to_string())
    }

    /// The answer to a request that is served.
    pub(crate) fn asked(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }
}
