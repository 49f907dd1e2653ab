#!/usr/bin/env python3
"""The scripts of examples/cluster under a real Slurm, of Debian's packages, with one host: the job array and its merge, the campaign
over MPI, and jobs that are killed and started again. Needs root, and is skipped where Slurm is not installed.
"""

import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "cluster"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, run_checks, without  # noqa: E402

SKIPPED = 77
TOOLS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "scontrol", "sinfo"]
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"}

CONFIGURATION = """\
ClusterName=heddle
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=5
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def call(*words, expected=(0,), **options):
    run = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                         **options)
    if run.returncode not in expected:
        raise Failure(f"$ {' '.join(map(str, words))}\n{run.stdout}\n[exit code {run.returncode}]")
    return run.stdout


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


class Cluster:
    """Daemons that live in a folder, without a service manager."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.host = socket.gethostname().split(".")[0]

    def __enter__(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=self.host, folder=self.folder, ports=free_ports(2), processors=os.cpu_count()))
        try:
            call("munged", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                 f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed")
            call("slurmctld", "-f", self.folder / "slurm.conf", env=self.environment)
            call("slurmd", "-f", self.folder / "slurm.conf", "-N", self.host, env=self.environment)
            self.wait(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"), "the node is not idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run(["scancel", "--state=RUNNING"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False, timeout=60)
        for name in ("slurmd", "slurmctld", "munged"):
            try:
                pid = int((self.folder / f"{name}.pid").read_text())
                os.kill(pid, signal.SIGTERM)
            except (OSError, ValueError):
                continue
            end = time.monotonic() + 20
            while pathlib.Path(f"/proc/{pid}").exists() and time.monotonic() < end:
                time.sleep(0.05)

    def run(self, *words, **options):
        return call(*words, env={**self.environment, **options.pop("environment", {})}, **options)

    def wait(self, condition, problem, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "\n".join((self.folder / f"{name}.log").read_text()[-2000:] for name in ("slurmctld", "slurmd")
                                 if (self.folder / f"{name}.log").exists())
                raise Failure(f"{problem}\n{logs}")
            time.sleep(0.1)

    def submit(self, script, *words, options=(), environment=None, cwd):
        return self.run("sbatch", "--parsable", *options, script, *words, environment=environment or {}, cwd=cwd).strip()

    def states(self, job):
        return set(re.findall(r"JobState=(\w+)", self.run("scontrol", "show", "job", job)))

    def await_end(self, job):
        self.wait(lambda: self.states(job) <= ENDED, f"job {job} does not end")
        return self.states(job)


def result_of(path):
    return without(json.loads(path.read_text()), "seconds", "rate")


def check_job_array(cluster, heddle, program, folder):
    """Three shards and their merge: the result of one campaign."""
    folder.mkdir()
    environment = {"HEDDLE": str(heddle.command.resolve()), "SHARDS": "3", "RUNS": "30000"}
    small = ["--cpus-per-task=1"]
    array = cluster.submit(EXAMPLES / "nightly.sbatch", program, options=["--array=1-3", *small], environment=environment, cwd=folder)
    merge = cluster.submit(EXAMPLES / "nightly.sbatch", program, options=["--array=0", f"--dependency=afterany:{array}", *small],
                           environment=environment, cwd=folder)
    states = cluster.await_end(array) | cluster.await_end(merge)
    output = "".join(path.read_text() for path in sorted(folder.glob("slurm-*.out")))
    if not (folder / "nightly" / "result.json").exists():
        raise Failure(f"the job array left no result ({states}):\n{output}")
    run = heddle.test(program, "-s", "random", "-n", 30000, out=folder / "alone")
    if result_of(folder / "nightly" / "result.json") != without(run.result, "seconds", "rate"):
        raise Failure(f"the job array has another result:\n{output}\n{run.describe()}")


def check_mpi(cluster, heddle, program, folder, mpi, kills):
    """A campaign over MPI whose batch step is killed at random moments, and continues when it is started again."""
    folder.mkdir()
    environment = {"HEDDLE": str(heddle.command.resolve()), "RUNS": str(150000), "MPI": mpi}
    result = folder / "campaign" / "result.json"

    def submit(tasks):
        return cluster.submit(EXAMPLES / "mpi.sbatch", program, environment=environment, cwd=folder,
                              options=[f"--ntasks={tasks}", "--cpus-per-task=1", "--overcommit"])

    def finish(tasks):
        states = cluster.await_end(submit(tasks))
        if not result.exists():
            output = "".join(path.read_text() for path in sorted(folder.glob("slurm-*.out")))
            raise Failure(f"--mpi={mpi} left no result ({states}):\n{output}")
        return result_of(result)

    expected = without(heddle.test(program, "-n", 150000, out=folder / "alone").result, "seconds", "rate")
    begin = time.monotonic()
    if finish(2) != expected:
        raise Failure(f"--mpi={mpi} has another result than a campaign without MPI")
    length = time.monotonic() - begin
    shutil.rmtree(folder / "campaign")
    draw = random.Random(1)
    for number in range(kills):
        job = submit(1 + number % 3)
        time.sleep(0.2 + draw.random() * length)
        # The job may have ended.
        cluster.run("scancel", "--full", "--signal=KILL" if number % 2 else "--signal=TERM", job, expected=range(256))
        cluster.await_end(job)
    found = finish(2)
    if found != expected:
        differing = {key: (expected.get(key), found.get(key)) for key in {*expected, *found} if expected.get(key) != found.get(key)}
        output = "".join(path.read_text() for path in sorted(folder.glob("slurm-*.out")))
        raise Failure(f"--mpi={mpi} has another result after {kills} kills: {differing}\n{output}")


def check(heddle, folder, arguments):
    missing = [tool for tool in TOOLS if shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None]
    if missing or os.getuid() != 0:
        print(f"skipped: {'needs root' if not missing else 'missing: ' + ', '.join(missing)}")
        sys.exit(SKIPPED)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    flags = ["-std=c++20", "-O2", "-g"]
    program = heddle.compile(ROOT / "examples" / "seqlock_broken.cpp", flags=flags)
    queue = heddle.compile(ROOT / "benchmarks" / "verify" / "ms_queue.cpp", flags=[*flags, "-DBROKEN"])
    with Cluster(folder / "cluster") as cluster:
        check_job_array(cluster, heddle, program, folder / "array")
        for mpi, plugin in [("pmix", "openmpi"), ("pmi2", "mpich")]:
            if (heddle.library.parent / "heddle" / f"libheddle_mpi_{plugin}.so").exists():
                check_mpi(cluster, heddle, queue, folder / mpi, mpi, arguments.kills)


def options(parser):
    parser.add_argument("--kills", type=int, default=20, help="of each campaign over MPI")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check, options))
