#!/usr/bin/env python3
"""Load on `twinql serve`: requests a second and latencies by concurrency, memory over many requests, and what becomes
of requests when the server is killed and started again.

    scripts/load.py target/release/twinql [--requests 100000] [--seconds 5]

Everything runs on this machine, over the loopback interface, with Python's own HTTP client. Client and server share the
cores, so that the figures are lower bounds; `/health` shows what the client alone can do.
"""

import argparse
import http.client
import json
import signal
import subprocess
import sys
import threading
import time

SCHEMA = """CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INTEGER NOT NULL);
CREATE TABLE song (song_id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer (id),
                   title TEXT NOT NULL, year INTEGER NOT NULL);"""
JSON = {"content-type": "application/json"}


class Server:
    """The program, and where it listens."""

    def __init__(self, program, port=0, flags=()):
        self.program, self.flags = program, list(flags)
        self.start(port)

    def start(self, port):
        command = [self.program, "serve", "--port", str(port), "--most-waiting", "256", *self.flags]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in self.process.stderr:
            if "http://" in line:
                self.port = int(line.split("http://")[1].split("/")[0].rsplit(":", 1)[1])
                break
        else:
            sys.exit("the server did not start")
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()

    def memory(self):
        """MiB that are resident."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def body(number):
    """A pair that differs from request to request; every hundredth brings a schema of its own."""
    schema = SCHEMA if number % 100 else SCHEMA + f"\nCREATE TABLE extra_{number} (a INTEGER);"
    gold = f"SELECT name FROM singer WHERE age > {number % 97} AND country = 'c{number % 1009}'"
    pred = (f"SELECT s.name FROM singer AS s JOIN song AS t ON t.singer_id = s.id "
            f"WHERE s.country = 'c{number % 1009}' AND t.year > {number % 89}")
    return json.dumps({"schema": schema, "gold": gold, "pred": pred})


def ask(connection, number, path="/score"):
    method = "GET" if path == "/health" else "POST"
    connection.request(method, path, body=None if method == "GET" else body(number), headers=JSON)
    answer = connection.getresponse()
    return answer.status, answer.read()


def client(port, path, seconds, offset, out):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    ends, number, times = time.perf_counter() + seconds, offset, []
    while time.perf_counter() < ends:
        began = time.perf_counter()
        status, _ = ask(connection, number, path)
        times.append((time.perf_counter() - began, status))
        number += 1
    out.extend(times)


def at_once(port, clients, seconds, path):
    """Requests a second and latencies of so many clients, each of which sends one request after the other."""
    outs = [[] for _ in range(clients)]
    threads = [threading.Thread(target=client, args=(port, path, seconds, 1_000_000 * i, out))
               for i, out in enumerate(outs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(t for out in outs for t, status in out if status == 200)
    refused = sum(status == 429 for out in outs for _, status in out)
    lost = sum(status not in (200, 429) for out in outs for _, status in out)
    quantile = lambda q: 1000 * times[min(len(times) - 1, int(q * len(times)))]
    print(f"{path:8} {clients:3} clients: {len(times) / seconds:7.0f} requests/s   p50 {quantile(0.5):6.2f} ms   "
          f"p99 {quantile(0.99):6.2f} ms   refused {refused}   other {lost}", flush=True)


def memory(server, requests):
    """Resident memory while many requests are answered by four clients."""
    steps = [requests // 20, requests // 4, requests // 2, 3 * requests // 4, requests]
    done = 0
    for step in steps:
        threads = []
        share = (step - done) // 4
        for i in range(4):
            def work(first=done + i * share):
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
                for number in range(first, first + share):
                    status, _ = ask(connection, number)
                    if status != 200:
                        sys.exit(f"request {number} was answered {status}")
            threads.append(threading.Thread(target=work))
            threads[-1].start()
        for thread in threads:
            thread.join()
        done = step
        print(f"after {done:7} requests: {server.memory():6.1f} MiB", flush=True)


def killed(program, requests=2000):
    """Kills the server in the middle of requests, and starts it again: clients that try again lose nothing."""
    server = Server(program)
    answers, lock, retried = {}, threading.Lock(), [0]

    def work(numbers):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        for number in numbers:
            for _ in range(200):
                try:
                    status, text = ask(connection, number)
                    if status == 200:
                        break
                except (OSError, http.client.HTTPException):
                    connection.close()
                with lock:
                    retried[0] += 1
                time.sleep(0.05)
            else:
                return
            with lock:
                answers[number] = json.loads(text)["results"][0]["scores"]["gmn"]

    threads = [threading.Thread(target=work, args=(range(i, requests, 4),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.3)
        server.process.kill()
        server.process.wait()
        server.start(server.port)
    for thread in threads:
        thread.join()
    # What the killed server has answered is what a fresh one answers.
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    same = sum(json.loads(ask(connection, n)[1])["results"][0]["scores"]["gmn"] == answers.get(n)
               for n in range(0, requests, 50))
    print(f"killed three times: {len(answers)} of {requests} requests answered, {retried[0]} tries again, "
          f"{same} of {requests // 50} answers asked for again are the same")
    code = server.end()
    print(f"asked to end: exit code {code}")
    return len(answers) == requests and code == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=100_000, help="requests of the memory run")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each level of concurrency")
    asked = parser.parse_args()
    server = Server(asked.program)
    at_once(server.port, 4, asked.seconds, "/health")
    for clients in (1, 2, 4, 8, 16, 32):
        at_once(server.port, clients, asked.seconds, "/score")
    memory(server, asked.requests)
    server.end()
    if not killed(asked.program):
        sys.exit("requests were lost")


if __name__ == "__main__":
    main()
