#!/usr/bin/env python3
"""Writes the sessions of this folder with the real programs, against server.py on the loopback address.

    npm install @anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0 && python3 make.py NODE_MODULES [bulk SEED FOLDER]

`served.jsonl` holds what the server answered: the reference for ids and counts. The programs' own prompts and lists are cut, and the
paths replaced; names, numbers and the order of lines stay. `bulk` writes 60 random sessions of each program, uncut, for
../../oracles/sessions.py.
"""
import glob, json, os, random, re, shutil, signal, socket, subprocess, sys, tempfile, time
from pathlib import Path

HERE = Path(__file__).parent
MODULES = Path(sys.argv[1]).resolve()
ROOT = Path(tempfile.mkdtemp(prefix='sessions-'))
WORK = ROOT / 'project'
with socket.create_server(('127.0.0.1', 0)) as free:
    PORT = free.getsockname()[1]
LS, BAD = ['Bash', {'command': 'ls', 'description': 'List'}], ['Bash', {'command': 'cat missing.txt', 'description': 'Read'}]
XLS, XBAD = ['exec_command', {'cmd': 'ls'}], ['exec_command', {'cmd': 'cat missing.txt'}]
AGENT = lambda key, kind='general-purpose': ['Agent', {'description': key, 'prompt': f'RUN:{key} go', 'subagent_type': kind}]
SPAWN = lambda key: ['multi_agent_v1/spawn_agent', {'message': f'RUN:{key} go'}]
SCRIPTS = {
    'par': [{'thinking': 'Hm.', 'text': 'I will look.', 'tools': [AGENT('par/a'), AGENT('par/b', 'Explore'), LS]}],
    'par/a': [{'tools': [LS, BAD]}, {'tools': [AGENT('par/c')]}], 'par/b': [{'text': 'b', 'sleep': 1}], 'par/c': [{'tools': [LS]}],
    'cut': [{'text': 'Look', 'tools': [LS], 'cut': 'delta'}, {'text': 'again \ud83d'}],
    'denied': [{'tools': [['Write', {'file_path': 'new.txt', 'content': 'x'}], ['NoSuchTool', {'a': 1}]]}],
    'error': [{'tools': [LS]}, {'status': 529}, {'status': 400, 'error': 'invalid_request_error'}],
    'turns': [{'tools': [LS]}] * 5, 'budget': [{'tools': [LS], 'usage': {'output': 4000}}] * 5,
    'first': [{'tools': [LS]}], 'second': [{'tools': [BAD]}], 'third': [{'text': 'after'}], 'fork': [{'tools': [BAD, LS]}],
    'stopped': [{'thinking': 'hm', 'text': 'Look', 'tools': [LS], 'hang': 2.5}],
    'xsub': [{'tools': [SPAWN('xsub/a'), SPAWN('xsub/b')]}, {'tools': [['exec_command', {'cmd': 'sleep 4'}]]}], 'xsub/a': [{'tools': [XLS]}], 'xsub/b': [{'tools': [XBAD]}],
    'xcompact': [{'tools': [XLS], 'usage': {'input': 5000}}, {'tools': [XLS], 'usage': {'input': 90000}}],
    'xcut': [{'text': 'Look', 'tools': [XLS], 'cut': 2}, {'text': 'again', 'tools': [['nosuch', {'a': 1}], ['exec_command', '{"cmd": 1']]}],
    'xinterrupt': [{'tools': [['exec_command', {'cmd': 'sleep 30', 'yield_time_ms': 29000}]]}],
    'xfirst': [{'tools': [XLS]}], 'xsecond': [{'tools': [XBAD]}], 'xfork': [{'tools': [XBAD, XLS]}],
}


def server(log):
    (ROOT / 'scripts.json').write_text(json.dumps(SCRIPTS))
    started = subprocess.Popen([sys.executable, HERE / 'server.py', str(PORT), ROOT / 'scripts.json', log])
    time.sleep(1)
    return started


def run(name, arguments, env, after=None, stop=signal.SIGINT, lines=()):
    """Runs a program; returns the id of its session."""
    with open(ROOT / f'{name}.out', 'w') as out, open(ROOT / f'{name}.err', 'w') as err:
        started = subprocess.Popen(arguments, cwd=WORK, env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=out, stderr=err)
        for wait, line in lines:
            time.sleep(wait)
            started.stdin.write((json.dumps(line) + '\n').encode())
            started.stdin.flush()
        started.stdin.close()
        try:
            started.wait(after or 120)
        except subprocess.TimeoutExpired:
            started.send_signal(stop)
            started.wait(30)
    found = re.search(r'"(?:session_id|thread_id)":"([^"]+)"', (ROOT / f'{name}.out').read_text())
    return found and found.group(1)


def claude(name, *more, prompt=None, **how):
    env = {'CLAUDE_CONFIG_DIR': str(ROOT / 'claude'), 'ANTHROPIC_BASE_URL': f'http://127.0.0.1:{PORT}', 'ANTHROPIC_API_KEY': 'none', 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1', 'CLAUDE_CODE_MAX_RETRIES': '3'}
    allowed = 'Read' if name == 'denied' else 'Bash,Agent,Read'
    arguments = [MODULES / '.bin/claude', '-p', *([] if 'lines' in how else [prompt or f'RUN:{name} go']), '--allowedTools', allowed, '--output-format', 'stream-json', '--verbose', *more]
    return run(name, arguments, env, **how)


def codex(name, *more, **how):
    home = ROOT / 'codex'
    home.mkdir(exist_ok=True)
    provider = f'[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:{PORT}/v1"\nwire_api = "responses"\nstream_max_retries = 2\nrequest_max_retries = 2\n'
    (home / 'config.toml').write_text('model = "mock-model"\nmodel_provider = "mock"\n' + provider)
    arguments = [MODULES / '.bin/codex', 'exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', '--json', *more, f'RUN:{name} go']
    return run(name, arguments, {'CODEX_HOME': str(home)}, **how)


LONG = 160
# Fields without a meaning here, and fields that hold prompts, lists of tools or settings.
DROPPED = set("""state base_instructions replacement_history skills slash_commands mcp_servers plugins memory_paths runtime_workspace_roots parsed_cmd
internal_chat_message_metadata_passthrough retained_source rate_limits thread_settings collaboration_mode preservedSegment preservedMessages cache_creation
server_tool_use toolStats inference_geo speed iterations stop_details userType entrypoint gitBranch promptId promptSource permissionMode agents tools
disabled_plugin_ids permission_profile sandbox_policy turn_attribution root_turn_id context_window account_scoped originator process_id time_to_first_token_ms
cwd service_tier stop_sequence output_style analytics_disabled product_feedback_disabled fast_mode_state ttft_ms ttft_stream_ms time_to_request_ms
preserved_segment preserved_messages outputFile canReadOutputFile encrypted_content turn_token_usage model_context_window text_elements annotations logprobs source_id ordinal command approval_policy approvals_reviewer realtime_active multi_agent_version summary effort raw_content agents_states sender_thread_id receiver_agents
 reasoning_effort history_base history_mode model_provider thread_source collaboration_mode_kind last_usage_includes_reasoning requested_approvals_reviewer leafUuid slug""".split())


def cut(value):
    """A value with the programs' own texts cut."""
    if isinstance(value, str):
        value = value.replace(str(WORK), '/project').replace(str(ROOT), '/root').replace(str(ROOT).replace('/', '-'), '-root')
        return value if len(value) <= LONG else value[:30] + '...' + value[-15:]
    if isinstance(value, list):
        return [cut(item) for item in (value if all(isinstance(item, dict) for item in value) else value[:3])]
    if isinstance(value, dict):
        if 'sampled_through_sequence' in value:
            return {'sampled_through_sequence': value['sampled_through_sequence']}
        return {name: cut(item) for name, item in value.items() if name not in DROPPED}
    return value


def cut_file(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in open(source)]
    # Lines of no meaning here, which hold lists of tools or settings.
    lines = [line for line in lines if line.get('type') != 'world_state' and (line.get('payload') or {}).get('type') != 'thread_settings_applied' and ((line.get('payload') or {}).get('item') or {}).get('type') not in ('Reasoning', 'UserMessage', 'AgentMessage') and (line.get('payload') or {}).get('role') != 'developer' and (line.get('attachment') or {}).get('type') not in ('skill_listing', 'agent_listing_delta')]
    target.write_text(''.join(json.dumps(cut(line), ensure_ascii=True) + '\n' for line in lines))


def golden():
    for name in ('claude', 'codex', 'printed'):
        shutil.rmtree(HERE / name, ignore_errors=True)
    log = ROOT / 'served.jsonl'
    started = server(log)
    for name in ('par', 'cut', 'denied', 'error'):
        claude(name)
    claude('turns', '--max-turns', '2')
    claude('budget', '--max-budget-usd', '0.05')
    first = claude('first')
    claude('second', '--resume', first)
    claude('fork', '--resume', first, '--fork-session')
    claude('compact', '--resume', first, prompt='/compact')
    claude('third', '--resume', first)
    user = {'type': 'user', 'message': {'role': 'user', 'content': 'RUN:stopped go'}}
    stop = {'type': 'control_request', 'request_id': 'r1', 'request': {'subtype': 'interrupt'}}
    claude('stopped', '--input-format', 'stream-json', lines=[(0, user), (4, stop)])
    for name in ('xsub', 'xcut'):
        codex(name)
    codex('xcompact', '-c', 'model_auto_compact_token_limit=50000')
    codex('xinterrupt', after=6)
    first = codex('xfirst')
    codex('xsecond', 'resume', first)
    codex('xfork', 'fork', first)
    started.terminate()
    # The files are named after their first script; the readers need the end of the name of a rollout.
    name_of = lambda path: next(iter(re.findall(r'RUN:(\w+)', ''.join(line for line in open(path) if '"user' in line))[::-1 if 'fork' in path.read_text() else 1]))
    for path in (ROOT / 'claude/projects').glob('*/*.jsonl'):
        cut_file(path, HERE / 'claude' / f'{name_of(path)}.jsonl')
        for inner in path.with_suffix('').rglob('*.json*'):
            cut_file(inner, HERE / 'claude' / name_of(path) / inner.relative_to(path.with_suffix('')))
    for path in (ROOT / 'codex/sessions').rglob('*.jsonl'):
        cut_file(path, HERE / 'codex' / f'{name_of(path)}-{path.stem[-36:]}.jsonl')
    for name in ('par', 'error', 'turns', 'budget', 'stopped', 'compact'):
        cut_file(ROOT / f'{name}.out', HERE / 'printed' / f'{name}.jsonl')
    kept = ('kind', 'key', 'side', 'compact', 'usage', 'id', 'status')
    served = [json.loads(line) for line in open(log)]
    (HERE / 'served.jsonl').write_text(''.join(json.dumps({name: answer.get(name) for name in kept}) + '\n' for answer in served))


def bulk(seed, folder):
    rng = random.Random(seed)

    def usage(kind, k):
        return {'input': rng.randint(2, 30) if kind == 'claude' else rng.randint(900, 4000), 'cached': rng.choice([0, rng.randint(100, 890)]) if k else 0, 'written': rng.choice([0, rng.randint(50, 900)]), 'output': rng.randint(5, 900), 'reasoning': rng.randint(0, 5)}

    def tool(kind, key, depth):
        r = rng.random()
        if r < .2 and depth < (2 if kind == 'claude' else 1):
            inner = f'{key}/{len(SCRIPTS)}'
            SCRIPTS[inner] = None
            SCRIPTS[inner] = script(kind, inner, depth + 1)
            return AGENT(inner, rng.choice(['general-purpose', 'Explore'])) if kind == 'claude' else SPAWN(inner)
        if r < .25:
            return ['NoSuchTool', {'x': 1}]
        command = rng.choice(['ls', 'cat missing.txt', 'true', 'echo hi'])
        return ['Bash', {'command': command, 'description': 'x'}] if kind == 'claude' else ['exec_command', {'cmd': command}]

    def script(kind, key, depth=0):
        steps = []
        for k in range(rng.randint(0, 4 if depth == 0 else 2)):
            if rng.random() < .1:
                steps.append({'status': rng.choice([529, 500])} if kind == 'claude' else {'status': 500})
            step = {'tools': [tool(kind, key, depth) for _ in range(rng.choice([1, 1, 1, 2, 3]))], 'usage': usage(kind, k)}
            step |= {'text': 'Step.'} if rng.random() < .5 else {}
            step |= {'thinking': 'Hm.'} if rng.random() < .3 else {}
            if rng.random() < .05:
                step |= {'cut': 'delta'} if kind == 'claude' else {'text': 'Part', 'cut': 2}
            steps.append(step)
        if kind == 'codex' and any('spawn' in name for step in steps for name, _ in step.get('tools', [])):
            steps.append({'tools': [['exec_command', {'cmd': 'sleep 3'}]], 'usage': usage(kind, 1)})
        return steps + [{'text': f'Done.\n<confidence>{rng.randint(1, 99) / 100}</confidence>', 'usage': usage(kind, 1)}]

    started = server(ROOT / 'served.jsonl')
    for kind, program, n in (('claude', claude, 60), ('codex', codex, 60)):
        sessions = []
        for i in range(n):
            key = f'{kind}{i}'
            SCRIPTS[key] = script(kind, key)
            (ROOT / 'scripts.json').write_text(json.dumps(SCRIPTS))
            how, more = rng.random(), ()
            old = rng.choice(sessions) if sessions else None
            if kind == 'claude':
                more = ('--resume', old) if how < .15 and old else ('--resume', old, '--fork-session') if how < .3 and old else ('--max-turns', str(rng.randint(1, 3))) if how < .4 else ()
            else:
                more = ('resume', old) if how < .15 and old else ('fork', old) if how < .3 and old else ()
            sessions += filter(None, [program(key, *more)])
    started.terminate()
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns('*.sqlite*', 'skills', 'scripts.json'), dirs_exist_ok=True)


WORK.mkdir()
(WORK / 'notes.txt').write_text('hi\n')
bulk(int(sys.argv[3]), sys.argv[4]) if sys.argv[2:3] == ['bulk'] else golden()
shutil.rmtree(ROOT, ignore_errors=True)
