# SPDX-License-Identifier: BSD-3-Clause
"""What the reports look like: text, JSON, JSON lines, log file."""

import json
import re

from pylib import document as doc
from pylib import process, strictjson, textout
from pylib.runner import case

_PLAIN = "[ ID] Interval           Transfer     Bitrate"
_RETR = _PLAIN + "         Retr"
_ROLE = "[ ID][Role] Interval           Transfer     Bitrate"


def _lines(p):
    return p.out.splitlines()


def _text_pair(bench, *args, server_args=()):
    s = bench.server("-1", *server_args)
    c = bench.run_client(s, *args)
    bench.finish(s)
    return c, s


@case("text forward: lines in their order", core=True)
def text_forward(bench):
    c, s = _text_pair(bench, "-t", "2")
    lines = _lines(c)
    assert lines[0] == f"Connecting to host 127.0.0.1, port {s.port}"
    assert re.fullmatch(
        r"\[ {1,2}\d+\] local 127\.0\.0\.1 port \d+ connected to "
        rf"127\.0\.0\.1 port {s.port}",
        lines[1],
    ), lines[1]
    assert lines[2] == _RETR + "  Cwnd", lines[2]
    assert re.search(r"[ \d]{3,}   [ \d.]{4,} [KMG]?Bytes {7}$", lines[3])
    assert lines[5] == textout.SEPARATOR, lines[5]
    assert lines[6] == _RETR, lines[6]
    assert re.search(r"sec  +\d+ {12,13}sender$", lines[7]), lines[7]
    assert re.search(r"sec {18}receiver$", lines[8]), lines[8]
    assert lines[9:] == ["", "iperf Done."], lines[9:]
    lines = _lines(s)
    assert lines[0] == lines[2] == textout.BANNER
    assert lines[1] == f"Server listening on {s.port} (test #1)"
    assert re.fullmatch(
        r"Accepted connection from 127\.0\.0\.1, port \d+", lines[3]
    )
    assert _PLAIN in lines
    tails = [r.tail for r in textout.summary(s.out)]
    assert tails == ["receiver"], tails
    assert "iperf Done." not in s.out


@case("text reverse")
def text_reverse(bench):
    c, s = _text_pair(bench, "-t", "1", "-R")
    lines = _lines(c)
    assert lines[1] == "Reverse mode, remote host 127.0.0.1 is sending"
    # 3.12 has Retr and Cwnd here although nothing of it is known.
    assert lines[3] == _PLAIN or not bench.program.is_ours, lines[3]
    assert _RETR in lines
    tails = [r.tail for r in textout.summary(c.out)]
    assert tails == ["sender", "receiver"], tails
    tails = [r.tail for r in textout.summary(s.out)]
    assert tails == ["sender"], tails


@case("text bidir -P 2: roles and sums")
def text_both(bench):
    c, s = _text_pair(bench, "-t", "1", "--bidir", "-P", "2")
    assert _ROLE + "         Retr  Cwnd" in _lines(c)
    rows = textout.summary(c.out)
    order = [(r.role, r.tail) for r in rows]
    want = [
        (role, tail)
        for role in ("[TX-C]", "[RX-C]")
        for _ in range(3)
        for tail in ("sender", "receiver")
    ]
    assert order == want, order
    assert [r.id for r in rows].count("SUM") == 4
    rows = textout.summary(s.out)
    assert {(r.role, r.tail) for r in rows} == {
        ("[RX-S]", "receiver"),
        ("[TX-S]", "sender"),
    }
    assert rows[0].role == "[RX-S]"


@case("text -P 3: a separator and a sum per interval")
def text_parallel(bench):
    c, _ = _text_pair(bench, "-t", "2", "-P", "3")
    rows = textout.rows(c.out)
    assert [r.id for r in rows].count("SUM") == 2 + 2
    first = rows[:4]
    total = sum(r.amount for r in first[:3])
    del total  # units may differ from row to row; the order is the claim
    assert [r.id for r in first][3] == "SUM"
    assert _lines(c).count(textout.SEPARATOR) >= 2


@case("text omit")
def text_omit(bench):
    c, _ = _text_pair(bench, "-t", "1", "-O", "1")
    rows = textout.rows(c.out)
    assert rows[0].tail == "(omitted)" and rows[0].start == 0.0
    assert rows[1].tail == "" and rows[1].start < 0.05, rows[1].start


def _format_case(letter, unit):
    @case(f"text -f {letter}")
    def unit_of_rate(bench):
        c, _ = _text_pair(bench, "-n", "10M", "-f", letter)
        rows = textout.rows(c.out)
        assert rows, "no rows"
        for row in rows:
            assert row.rate_unit == unit, row.rate_unit


for _letter, _unit in (
    ("k", "Kbits"), ("m", "Mbits"), ("g", "Gbits"), ("t", "Tbits"),
    ("K", "KBytes"), ("M", "MBytes"), ("G", "GBytes"), ("T", "TBytes"),
):
    _format_case(_letter, _unit)


@case("text -V adds its lines")
def text_verbose(bench):
    s = bench.server("-1", "-V")
    c = bench.run_client(s, "-V", "-t", "1", "-b", "10M")
    bench.finish(s)
    for want in (
        r"^iperf 3\.", r"^Linux ", r"^Control connection MSS \d+$",
        r"^Time: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$",
        r"^      Cookie: \w{36}$", r"^      TCP MSS: \d+ \(default\)$",
        r"^      Target Bitrate: 10000000$",
        r"^Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, "
        r"omitting 0 seconds, 1 second test, tos 0$",
        r"^Test Complete\. Summary Results:$",
        r"^CPU Utilization: local/sender \d+\.\d% \(\d+\.\d%u/\d+\.\d%s\), "
        r"remote/receiver \d+\.\d% \(\d+\.\d%u/\d+\.\d%s\)$",
        r"^snd_tcp_congestion \w+$", r"^rcv_tcp_congestion \w+$",
    ):
        assert re.search(want, c.out, re.M), want
    assert "      Cookie: " in s.out


@case("text -T puts the title before client lines")
def text_title(bench):
    c, s = _text_pair(bench, "-n", "1M", "-T", "my title")
    for line in _lines(c):
        assert not line or line.startswith("my title:  "), line
    assert "my title" not in s.out


@case("text --timestamps")
def text_timestamps(bench):
    c, _ = _text_pair(bench, "-n", "1M", "--timestamps=<%Y> ")
    for line in _lines(c):
        assert not line or re.match(r"<20\d\d> ", line), line
    c, _ = _text_pair(bench, "-n", "1M", "--timestamps")
    # The locale's own form: the year is in it and the time of day.
    assert re.match(r".*\d\d:\d\d:\d\d.* \d{4} Connecting", c.out), c.out


@case("text --get-server-output", core=True)
def text_server_output(bench):
    c, _ = _text_pair(bench, "-t", "1", "--get-server-output")
    own, _, theirs = c.out.partition("\nServer output:\n")
    assert theirs, "no server output"
    assert re.search(r"^Accepted connection from ", theirs, re.M)
    tails = [r.tail for r in textout.summary(theirs)]
    assert tails == ["receiver"], tails
    assert [r.tail for r in textout.summary(own)] == ["sender", "receiver"]


@case("text --get-server-output from a JSON server")
def text_server_json(bench):
    s = bench.server("-1", "-J")
    c = bench.run_client(s, "-t", "1", "--get-server-output")
    bench.finish(s)
    _, found, theirs = c.out.partition("\nServer JSON output:\n")
    assert found
    inner = theirs[:theirs.rindex("}") + 1]
    d = strictjson.document(inner, lenient=not bench.program.is_ours)
    doc.check_complete(d)


@case("json --get-server-output, text and JSON server", core=True)
def json_server_output(bench):
    s = bench.server("-1")
    c = bench.run_client(s, "-J", "-t", "1", "--get-server-output")
    bench.finish(s)
    d = bench.document(c)
    doc.check_complete(d)
    tails = [r.tail for r in textout.summary(d["server_output_text"])]
    assert tails == ["receiver"], tails
    assert "server_output_json" not in d
    client, server = bench.pair("-t", "1", "--get-server-output")
    inner = client["server_output_json"]
    assert "server_output_text" not in client
    assert inner["start"]["cookie"] == client["start"]["cookie"]
    assert inner["end"]["sum_received"] == server["end"]["sum_received"]


@case("json each test of a server asks for its output anew",
      only_ours=True)
def server_output_reset(bench):
    s = bench.server()
    bench.run_client(s, "-n", "1M", "--get-server-output")
    c = bench.run_client(s, "-n", "1M", "-J")
    assert "server_output_text" not in bench.document(c)
    c = bench.run_client(s, "-n", "1M", "-J", "--get-server-output")
    text = bench.document(c)["server_output_text"]
    assert text.count("Accepted connection") == 1, text


@case("json title and extra data at both ends")
def json_labels(bench):
    strange = 'a "quoted" \\ text\twith UTF-8: \u00e9\u4e16'
    client, server = bench.pair(
        "-n", "1M", "-T", "some title", "--extra-data", strange
    )
    for d in (client, server):
        assert d["extra_data"] == strange, d["extra_data"]
        assert d["title"] == "some title"


@case("json start says what was asked", core=True)
def json_start(bench):
    client, server = bench.pair("-n", "1M", "-i", "0.5")
    for d in (client, server):
        test = d["start"]["test_start"]
        assert test["protocol"] == "TCP"
        assert test["bytes"] == 1 << 20 and test["blocks"] == 0
        assert test["duration"] == 0 and test["omit"] == 0
        assert test["tos"] == 0
    start = client["start"]
    assert start["cookie"] == server["start"]["cookie"]
    assert start["connecting_to"]["host"] == "127.0.0.1"
    assert isinstance(start["connecting_to"]["port"], int)
    assert server["start"]["accepted_connection"]["host"] == "127.0.0.1"
    assert start["timestamp"]["timesecs"] > 1_600_000_000
    assert re.fullmatch(
        r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT",
        start["timestamp"]["time"],
    )
    if bench.program.is_ours:
        assert start["version"].startswith("iperf 3.21")
        millis = start["timestamp"]["timemillisecs"]
        assert millis // 1000 == start["timestamp"]["timesecs"]
        test = start["test_start"]
        assert test["interval"] == 0.5
        for key in ("bidir", "fqrate", "gso", "gro", "target_bitrate"):
            assert test[key] == 0, key


@case("json is pure: nothing else on stdout or stderr", core=True)
def json_pure(bench):
    s = bench.server("-1", "-J")
    c = bench.run_client(s, "-n", "1M", "-J")
    bench.finish(s)
    for p in (c, s):
        assert p.out.startswith("{") and p.out.endswith("}\n"), p.out[:80]
        assert p.err == "", p.err
    assert '\n\t"start":\t{\n' in c.out, "not the customary whitespace"


@case("json server writes one document per test", only_ours=True)
def json_server_documents(bench):
    s = bench.server("-J")
    for n in (1, 2, 3):
        bench.run_client(s, "-n", "1M")
        bench.until(
            lambda n=n: s.out.count('"cpu_utilization_percent"') == n
            and s.out.endswith("\n}\n"),
            f"document {n} of the server",
        )
    found = strictjson.documents(s.out, lenient=not bench.program.is_ours)
    assert len(found) == 3
    for d in found:
        doc.check_complete(d)


def _events(p):
    found = strictjson.lines(p.out)
    for line in found:
        assert set(line) == {"event", "data"}, set(line)
    return found


@case("json-stream", only_ours=True, core=True)
def json_stream(bench):
    s = bench.server("-1", "--json-stream")
    c = bench.run_client(s, "--json-stream", "-t", "2")
    bench.finish(s)
    for p in (c, s):
        events = _events(p)
        names = [e["event"] for e in events]
        assert names[0] == "start" and names[-1] == "end", names
        assert set(names[1:-1]) == {"interval"}, names
    client = {
        "start": _events(c)[0]["data"],
        "intervals": [e["data"] for e in _events(c)[1:-1]],
        "end": _events(c)[-1]["data"],
    }
    assert len(client["intervals"]) == 2
    doc.check_complete(client)
    doc.check_shape(client, 1, doc.FORWARD)
    doc.check_intervals_add_up(client, doc.FORWARD)


@case("json-stream lines come as they happen", only_ours=True)
def json_stream_flushed(bench):
    s = bench.server("-1")
    c = bench.client(s, "--json-stream", "-t", "30")
    c.await_text('"event":"interval"', 10 * bench.slow)
    assert c.is_running()


@case("json-stream-full-output", only_ours=True)
def json_stream_full(bench):
    s = bench.server("-1")
    c = bench.run_client(
        s, "--json-stream", "--json-stream-full-output", "-t", "2"
    )
    head, mark, tail = c.out.partition("\n{\n")
    assert mark, "no complete document"
    events = strictjson.lines(head + "\n")
    whole = strictjson.document("{\n" + tail)
    doc.check_complete(whole)
    assert whole["end"] == events[-1]["data"]
    assert whole["intervals"] == [e["data"] for e in events[1:-1]]
    assert whole["start"] == events[0]["data"]


@case("json-stream with server output", only_ours=True)
def json_stream_server_output(bench):
    s = bench.server("-1")
    c = bench.run_client(
        s, "--json-stream", "-n", "1M", "--get-server-output"
    )
    names = [e["event"] for e in _events(c)]
    assert names[-2:] == ["server_output_text", "end"], names


@case("logfile holds everything and is appended to")
def logfile(bench):
    s = bench.server()
    name = bench.path("log")
    for _ in range(2):
        c = bench.run_client(s, "-n", "1M", "--logfile", name)
        assert c.out == "" and c.err == "", c.out + c.err
    with open(name, encoding="utf-8") as f:
        text = f.read()
    assert text.count("iperf Done.") == 2
    assert [r.tail for r in textout.summary(text)] == [
        "sender", "receiver",
    ] * 2
    c = bench.run(
        "-c", "127.0.0.1", "-p", "1", "-n", "1", "--logfile", name, status=1
    )
    with open(name, encoding="utf-8") as f:
        assert "unable to connect to server" in f.read()


@case("logfile takes JSON")
def logfile_json(bench):
    s = bench.server()
    name = bench.path("log")
    c = bench.run_client(s, "-n", "1M", "-J", "--logfile", name)
    assert c.out == ""
    with open(name, encoding="utf-8") as f:
        doc.check_complete(strictjson.document(f.read()))


@case("logfile of a server")
def logfile_server(bench):
    name = bench.path("log")
    s = bench.server("-1", "--logfile", name)
    bench.run_client(s, "-n", "1M")
    bench.finish(s)
    assert s.out == "", s.out
    with open(name, encoding="utf-8") as f:
        text = f.read()
    assert "Server listening on" in text
    assert textout.summary(text)


@case("text --forceflush shows intervals as they happen")
def force_flush(bench):
    s = bench.server("-1")
    c = bench.client(s, "-t", "30", "--forceflush")
    c.await_text("bits/sec", 10 * bench.slow)
    assert c.is_running()


@case("help is on stdout", core=True)
def help_text(bench):
    c = bench.run("-h", status=0)
    assert c.err == ""
    for name in (
        "--port", "--format", "--interval", "--pidfile", "--affinity",
        "--bind", "--verbose", "--json", "--logfile", "--forceflush",
        "--timestamps", "--rcv-timeout", "--snd-timeout", "--version",
        "--help", "--server", "--daemon", "--one-off", "--idle-timeout",
        "--client", "--connect-timeout", "--bitrate", "--time", "--bytes",
        "--blockcount", "--length", "--cport", "--parallel", "--reverse",
        "--bidir", "--window", "--no-delay", "--version4",
        "--version6", "--omit", "--title", "--extra-data",
        "--get-server-output", "--set-mss", "--congestion", "--tos",
        "--dscp", "--flowlabel", "--fq-rate", "--no-fq-socket-pacing",
        "--bind-dev",
    ):
        assert name in c.out, f"{name} is not in the help"
    if bench.program.is_ours:
        for name in (
            "--json-stream", "--json-stream-full-output", "--vsock",
            "--sweep", "--directions", "--json-out", "--cntl-ka",
            "--mptcp",
        ):
            assert name in c.out, f"{name} is not in the help"
        wide = [x for x in c.out.splitlines() if len(x) > 80]
        assert not wide, wide[0]
    assert bench.run("--help", status=0).out == c.out


@case("version is three lines on stdout", core=True)
def version(bench):
    c = bench.run("-v", status=0)
    lines = _lines(c)
    assert len(lines) == 3 and c.err == "", c.out
    assert lines[0].startswith("iperf 3.")
    assert lines[1].startswith("Linux ")
    if bench.program.is_ours:
        assert lines[0].startswith("iperf 3.21"), lines[0]
        assert "iperf3-vsock" in lines[0]
    assert bench.run("--version", status=0).out == c.out


@case("json a full disk is an error, not a success", only_ours=True)
def full_disk(bench):
    s = bench.server()
    c = bench.run_client(
        s, "-n", "1M", "-J", "--logfile", "/dev/full", status=1
    )
    assert c.err.count("\n") == 1, c.err


@case("json numbers stay exact", only_ours=True)
def json_numbers(bench):
    client, _ = bench.pair("-t", "1")
    total = doc.total(client, "sent", doc.FORWARD, doc.FORWARD)
    assert isinstance(total, int)
    again = json.loads(json.dumps(client))
    assert again == client


@case("a waiting main thread uses no CPU", only_ours=True)
def idle_cpu(bench):
    """A paced test of few blocks: nothing may spin meanwhile."""
    s = bench.server("-1")
    c = bench.client(s, "-b", "1M", "-t", "3", "--forceflush")
    c.await_text("bits/sec", 15 * bench.slow, count=2)
    for p in (c, s):
        with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
            words = f.read().rpartition(")")[2].split()
        ticks = int(words[11]) + int(words[12])
        assert ticks <= 50 * bench.slow, f"{ticks} ticks in two seconds"
    assert process.threads(c.pid) >= 2
    bench.finish(c)
