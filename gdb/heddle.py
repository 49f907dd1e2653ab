"""gdb's commands for a replay of heddle: heddle replay --gdb TRACE loads this file and runs the execution up to its finding.

A step of the execution is an atomic or synchronising operation, or a plain access to memory. The runtime counts the steps in
heddle_debug_state and calls heddle_debug_stop at the step in `target`, where this file has a break point. To go back, the program is run
again up to an earlier step: a replay makes the same steps each time.
"""

import bisect
import json
import os
import shlex
import shutil

import gdb


class Session:
    """What heddle knows of the execution, and where it is now."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        self.trace = content["trace"]
        self.heddle = content["heddle"]
        self.events = content["events"]
        self.no_events = content.get("no_events", "")
        self.headline = content.get("headline", "")
        self.kind = content.get("kind", "")
        self.failing_step = content.get("step", 0)
        self.steps = [event["step"] for event in self.events]

    def position(self, step):
        """The number of events up to this step."""
        return bisect.bisect_right(self.steps, step)


def word(offset):
    """A number of heddle_debug_state; None: the program does not run."""
    try:
        return int(gdb.parse_and_eval(f"*(unsigned long *)((char *)&heddle_debug_state + {offset})"))
    except gdb.error:
        return None


def is_running():
    return bool(gdb.selected_inferior().pid)


def current_step():
    step = word(0) if is_running() else None
    if step is None:
        raise gdb.GdbError("The program does not run. 'heddle-back' and 'heddle-step' start it; 'run' runs it to the finding.")
    return step


def set_target(step):
    gdb.execute(f"set *(unsigned long *)((char *)&heddle_debug_state + 8) = {step}", to_string=True)


def program_frame():
    """The innermost frame of the program's own code, rather than heddle's or an inlined function of a system header."""
    first = None
    frame = gdb.newest_frame()
    while frame is not None:
        library = gdb.solib_name(frame.pc())
        if library is None or os.path.basename(library) != "libheddle.so":
            place = frame.find_sal().symtab
            if place is not None and not place.fullname().startswith("/usr/"):
                return frame
            first = first or frame
        frame = frame.older()
    return first


def show(step):
    position = session.position(step)
    if position and session.steps[position - 1] == step:
        print_event(position - 1, "=>")
    else:
        gdb.write(f"step {step}\n")
    show_frame()


def show_frame():
    frame = program_frame()
    if frame is None:
        gdb.write("The thread is in no function of the program.\n")
        return
    frame.select()
    gdb.execute("frame", False)


def print_event(index, mark="  "):
    event = session.events[index]
    place = f"  {os.path.basename(event['file'])}:{event['line']}" if "file" in event else ""
    gdb.write(f"{mark} {index + 1:4} {event['thread']:8} {event['text']}{place}\n")


def run_to(step):
    """Runs the program from its beginning up to a step."""
    gdb.execute(f"set exec-wrapper {shlex.quote(session.heddle)} debug-start {step} {shlex.quote(session.trace)}", to_string=True)
    gdb.execute("set confirm off", to_string=True)
    gdb.execute("run", to_string=True)
    return report_stop()


def go_on_to(step):
    set_target(step)
    gdb.execute("continue", to_string=True)
    return report_stop()


def report_stop():
    """Shows where the program has stopped. True: at a step."""
    if not is_running():
        gdb.write("The execution has ended.\n")
        return False
    show(current_step())
    return True


class Events(gdb.Command):
    """heddle-events [N]: the events of the execution, the newest of them marked; only N around it.

An event is an atomic or synchronising operation, or a plain access to memory that several threads access."""

    def __init__(self):
        super().__init__("heddle-events", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if session.no_events:
            raise gdb.GdbError(f"The events are not known: {session.no_events}.")
        newest = session.position(word(0) or 0) - 1 if is_running() else -1
        around = int(argument) if argument else len(session.events)
        for index in range(max(0, newest - around), min(len(session.events), newest + around + 1)):
            print_event(index, "=>" if index == newest else "  ")


class Threads(gdb.Command):
    """heddle-threads: the threads of the program, with the newest event of each and the next one."""

    def __init__(self):
        super().__init__("heddle-threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if session.no_events:
            raise gdb.GdbError(f"The events are not known: {session.no_events}.")
        position = session.position(current_step())
        running = session.events[position - 1]["thread"] if position else ""
        for thread in dict.fromkeys(event["thread"] for event in session.events):
            before = [index for index in range(position) if session.events[index]["thread"] == thread]
            after = [index for index in range(position, len(session.events)) if session.events[index]["thread"] == thread]
            gdb.write(f"{'*' if thread == running else ' '} {thread}\n")
            for name, index in ("newest", before[-1] if before else None), ("next", after[0] if after else None):
                if index is not None:
                    print_event(index, f"    {name:7}")


class Step(gdb.Command):
    """heddle-step [N]: runs the program to its next event, or the N-th next one, whatever thread it is of."""

    def __init__(self):
        super().__init__("heddle-step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        count = int(argument) if argument else 1
        step = current_step() if is_running() else 0
        position = session.position(step) - 1 + count
        if not session.events:
            target = step + count
        elif position < len(session.events):
            target = session.steps[max(position, 0)]
        else:
            raise gdb.GdbError(f"The execution has {len(session.events)} events, and {session.position(step)} have been executed.")
        go_on_to(target) if is_running() else run_to(target)


class Back(gdb.Command):
    """heddle-back [N]: goes back to the event before, or the N-th before, by running the program again up to it."""

    def __init__(self):
        super().__init__("heddle-back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        count = int(argument) if argument else 1
        if not session.events:
            target = (current_step() if is_running() else session.failing_step) - count
        else:
            newest = session.position(current_step()) - 1 if is_running() else len(session.events)
            target = session.steps[newest - count] if newest >= count else 0
        if target <= 0:
            raise gdb.GdbError("There are not so many events before this one.")
        run_to(target)


class Goto(gdb.Command):
    """heddle-goto N: goes to event N, as heddle-events numbers them, forwards or backwards."""

    def __init__(self):
        super().__init__("heddle-goto", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if not argument.isdigit() or not 1 <= int(argument) <= len(session.events):
            raise gdb.GdbError(f"Write heddle-goto N, with N from 1 to {len(session.events)}.")
        target = session.steps[int(argument) - 1]
        if is_running() and target > current_step():
            go_on_to(target)
        else:
            run_to(target)


class Stop(gdb.Breakpoint):
    """Where the runtime stops at a step."""

    def __init__(self):
        gdb.execute("set breakpoint pending on", to_string=True)
        super().__init__("heddle_debug_stop", internal=True)
        self.silent = True


def go_to_failure():
    """Goes on from the last event before the finding to where the program fails, if gdb can stop there."""
    if session.kind in ("assert", "uncaught-exception") and is_running():
        stops = [gdb.Breakpoint(function, internal=True, temporary=True) for function in ("__assert_fail", "abort", "std::terminate")]
        for stop in stops:
            stop.silent = True
        gdb.execute("continue", to_string=True)
        for stop in stops:
            if stop.is_valid():
                stop.delete()
        if is_running():
            show_frame()


def begin():
    gdb.execute("set pagination off", to_string=True)
    gdb.execute("handle SIGXCPU nostop noprint pass", to_string=True)  # heddle's own signal
    Stop()
    gdb.write(f"heddle: {session.headline}\n" if session.headline else "heddle: the finding was not reproduced\n")
    if session.no_events:
        gdb.write(f"heddle: the events are not known: {session.no_events}\n")
    # A crash stops gdb by itself. Without a step, the execution runs to its end, or to the crash.
    never = 1 << 62
    if run_to(session.failing_step or never):
        go_to_failure()
    gdb.write("heddle: heddle-events, heddle-threads, heddle-step, heddle-back and heddle-goto; 'help heddle-back' says more\n")


session = Session(os.environ.pop("HEDDLE_GDB_SESSION"))
for command in Events, Threads, Step, Back, Goto:
    command()
begin()
