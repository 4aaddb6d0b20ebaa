#!/usr/bin/env python3
"""Compares agent-scorecard with other readers of the sessions of Claude Code and Codex, and with the server that answered them.

    python3 ../golden/sessions/make.py NODE_MODULES bulk SEED FOLDER
    python3 sessions.py --command target/debug/agent-scorecard FOLDER [--modules NODE_MODULES]

The server's answers are the reference: each is one turn with its counts. Harbor's converters (`pip install harbor`, Python 3.12) must
agree on each session of which they know all files; ccusage 18, @ccusage/codex 18 and @tokscale/core 1.4 (npm, in NODE_MODULES) are
compared by their totals, and their known differences are printed: they do not end the program with an error.
"""

import argparse, collections, json, logging, os, pathlib, shutil, subprocess, sys, tempfile


def counts(step):
    metrics = step.get('metrics') or {}
    return metrics.get('prompt_tokens'), metrics.get('cached_tokens') or 0, metrics.get('completion_tokens')


def steps(trajectory):
    """The steps of the agent and of all subagents that have a model."""
    yield from (step for step in trajectory['steps'] if step['source'] == 'agent')
    for inner in trajectory.get('subagent_trajectories') or []:
        yield from steps(inner)


def ours(command, folder):
    out = pathlib.Path(tempfile.mkdtemp()) / 'atif'
    done = subprocess.run([command, 'convert', folder, '--to', 'atif', '--output', out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = [json.loads(path.read_text()) for path in sorted(out.rglob('*.json'))]
    shutil.rmtree(out.parent)
    return {trajectory['session_id']: trajectory for trajectory in found}


def served(path, kind):
    """The counts of the answers that were complete, and of those that were cut off."""
    complete, cut = collections.Counter(), collections.Counter()
    for line in open(path):
        answer = json.loads(line)
        if answer.get('kind') == kind and 'id' in answer and not answer['side'] and not answer['compact']:
            used = answer['usage']
            whole = used['input'] + (used['cached'] + used['written'] if kind == 'claude' else 0)
            if answer['status'] == 200:
                complete[whole, used['cached'], used['output']] += 1
            else:
                cut[whole, used['cached'], None] += 1
    return complete, cut


def harbor(kind, main, files):
    """The trajectory that Harbor makes of the files of one session."""
    from harbor.agents.installed.claude_code import ClaudeCode
    from harbor.agents.installed.codex import Codex
    agent = (ClaudeCode if kind == 'claude' else Codex).__new__(ClaudeCode if kind == 'claude' else Codex)
    agent.logger, agent.model_name, agent.logs_dir = logging.getLogger('harbor'), 'mock', pathlib.Path(tempfile.mkdtemp())
    folder = pathlib.Path(tempfile.mkdtemp()) / 'session'
    folder.mkdir()
    for path in files:
        shutil.copy(path, folder)
    if (inner := main.with_suffix('')).is_dir():
        shutil.copytree(inner, folder / inner.name)
    trajectory = agent._convert_events_to_trajectory(folder)
    return trajectory and trajectory.to_json_dict()


def node(modules, program, *arguments, **env):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=modules.parent, env={**os.environ, **env})
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr[-300:]


def main():
    options = argparse.ArgumentParser()
    options.add_argument('folder', type=pathlib.Path)
    options.add_argument('--command', required=True)
    options.add_argument('--modules', type=pathlib.Path)
    options = options.parse_args()
    root, wrong = options.folder.resolve(), 0
    sources = {'claude': root / 'claude/projects', 'codex': root / 'codex/sessions'}
    for kind, folder in sources.items():
        runs = ours(options.command, folder)
        read = collections.Counter(counts(step) for run in runs.values() for step in steps(run) if step.get('metrics') or kind == 'claude')
        complete, cut = served(root / 'served.jsonl', kind)
        expected = complete + (cut if kind == 'claude' else collections.Counter())
        read = collections.Counter({key: n for key, n in read.items() if key != (None, 0, None)})
        calls = sum(len(step.get('tool_calls') or []) for run in runs.values() for step in steps(run))
        print(f'{kind}: {len(runs)} runs, {sum(read.values())} turns with counts, {calls} calls; served {sum(complete.values())} and {sum(cut.values())} cut off')
        for key in (read - expected) | (expected - read):
            wrong += 1
            print(f'  differs from the server: {key}: read {read[key]}, served {expected[key]}')
        try:
            compare_harbor(kind, folder, runs)
        except ImportError as problem:
            print('  harbor is not installed:', problem)
        if options.modules:
            compare_totals(kind, root, options.modules.resolve(), complete)
    sys.exit(wrong > 0)


def compare_harbor(kind, folder, runs):
    same = values = 0
    differs = collections.Counter()
    for path in sorted(folder.rglob('*.jsonl')):
        run = runs.get(path.stem if kind == 'claude' else path.stem[-36:])
        if run is None or path.parent.name == 'subagents':
            continue
        theirs = harbor(kind, path, [path])
        if theirs is None:
            differs['no trajectory'] += 1
            continue
        own = [step for step in (steps(run) if kind == 'claude' else (step for step in run['steps'] if step['source'] == 'agent'))]
        a = collections.Counter(counts(step) for step in own)
        b = collections.Counter(counts(step) for step in theirs['steps'] if step['source'] == 'agent' and step.get('metrics'))
        names = [collections.Counter(call['function_name'] for step in many for call in step.get('tool_calls') or []) for many in (own, [step for step in theirs['steps'] if step['source'] == 'agent'])]
        values += 3 * sum((a & b).values())
        if a == b and names[0] == names[1]:
            same += 1
            continue
        metadata = ((run.get('extra') or {}).get('run_logs') or {}).get('metadata') or {}
        reason = next((name for name in ('n_copied_replies', 'n_unfinished_replies') if name in metadata), 'unexplained')
        differs[reason] += 1
        if reason == 'unexplained':
            print('  harbor', path.name, 'ours - theirs', dict(a - b), 'theirs - ours', dict(b - a), names[0] - names[1], names[1] - names[0])
    print(f'  harbor: {same} sessions equal ({values} counts), different: {dict(differs)}')


def compare_totals(kind, root, modules, complete):
    true = [sum(key[at] * n for key, n in complete.items()) for at in range(3)]
    env = {'CLAUDE_CONFIG_DIR': str(root / 'claude')} if kind == 'claude' else {'CODEX_HOME': str(root / 'codex')}
    program = modules / '.bin' / ('ccusage' if kind == 'claude' else 'ccusage-codex')
    report = node(modules, program, 'session', '--json', '--offline', **env)
    rows = report['sessions'] if isinstance(report, dict) else []
    if kind == 'claude':
        found = [sum(row[name] for row in rows for name in names) for names in (('inputTokens', 'cacheCreationTokens', 'cacheReadTokens'), ('cacheReadTokens',), ('outputTokens',))]
    else:
        found = [sum(row[name] for row in rows) for name in ('inputTokens', 'cachedInputTokens', 'outputTokens')]
    print(f'  complete answers of the server: input {true[0]}, cached {true[1]}, output {true[2]}\n  ccusage: {found if rows else report}, {len(rows)} rows')
    home = pathlib.Path(tempfile.mkdtemp())
    (home / f'.{kind}').symlink_to(root / kind)
    script = f'console.log(JSON.stringify(require("@tokscale/core").parseLocalSources({{homeDir:{json.dumps(str(home))},sources:["{kind}"]}})))'
    report = node(modules, 'node', '-e', script)
    messages = report.get('messages', []) if isinstance(report, dict) else []
    inside = ('input', 'cacheRead', 'cacheWrite')
    found = [sum(row[name] for row in messages for name in names) for names in (inside, ('cacheRead',), ('output',))]
    print(f'  tokscale: {found if messages else report}, {len(messages)} messages')


main()
