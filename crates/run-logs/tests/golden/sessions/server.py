"""A scripted model server on the loopback address. `server.py PORT SCRIPTS LOG`: SCRIPTS is a JSON file {key: [step, ...]}; the last tag RUN:key in the
texts of a request picks the script, and the number of calls with this key picks the step. LOG gets one JSON line per answer."""
import json, re, sys, time, itertools, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
SCRIPTS = sys.argv[2]; LOG = open(sys.argv[3], 'a'); ids = itertools.count(int(time.time()*10) % 10**9); lock = threading.Lock(); done = {}
TAG = re.compile(r'RUN:([A-Za-z0-9_./-]+)')
def texts(c):
    if isinstance(c, str): yield c
    elif isinstance(c, list):
        for b in c:
            if isinstance(b, dict) and isinstance(b.get('text'), str) and b.get('type') in ('text', 'input_text'): yield b['text']
def log(**k):
    with lock: LOG.write(json.dumps(k) + '\n'); LOG.flush()
class H(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *a): pass
    def send_json(self, o, code=200, headers=()):
        b = json.dumps(o).encode(); self.send_response(code)
        for k, v in headers: self.send_header(k, v)
        self.send_header('content-type', 'application/json'); self.send_header('content-length', str(len(b))); self.end_headers(); self.wfile.write(b)
    def do_GET(self): self.send_json({'object': 'list', 'data': [], 'models': []} if 'models' in self.path else {})
    def do_HEAD(self): self.send_response(200); self.send_header('content-length', '0'); self.end_headers()
    def do_POST(self):
        raw = b''
        if 'chunked' in (self.headers.get('transfer-encoding') or ''):
            while True:
                size = int(self.rfile.readline().split(b';')[0], 16); raw += self.rfile.read(size); self.rfile.readline()
                if not size: break
        else: raw = self.rfile.read(int(self.headers.get('content-length') or 0))
        enc = self.headers.get('content-encoding') or ''
        if 'gzip' in enc: import gzip; raw = gzip.decompress(raw)
        if 'zstd' in enc: log(problem='zstd')
        try: b = json.loads(raw or b'{}')
        except Exception: b = {}
        p = self.path.split('?')[0]
        try:
            if p.endswith('/responses'): return self.answer(b, 'codex', b.get('input', []))
            if p.endswith('/messages'): return self.answer(b, 'claude', b.get('messages', []))
            if p.endswith('count_tokens'): return self.send_json({'input_tokens': 100})
            log(path=p); self.send_json({})
        except (BrokenPipeError, ConnectionResetError): self.close_connection = True
    def answer(self, b, kind, items):
        tags = [(t, i) for i, m in enumerate(items) if isinstance(m, dict) and m.get('role') == 'user' for x in texts(m.get('content')) for t in TAG.findall(x)]
        key = tags[-1][0] if tags else '?'
        names = [t.get('name') or t.get('type') for t in b.get('tools') or []]
        side = not names and kind == 'claude'
        compact = 'CONTEXT CHECKPOINT' in json.dumps(items[-1:]) or 'create a detailed summary of the conversation' in json.dumps(items[-1:])
        script = json.load(open(SCRIPTS)).get(key, [])
        with lock:
            name = key + ('#compact' if compact else '#side' if side else '')
            k = done.get(name, 0); done[name] = k + 1
        step = {'text': 'Short title'} if side or compact else script[k] if k < len(script) else {'text': 'Done.\n<confidence>0.83</confidence>'}
        n = next(ids); u = {'input': 1000 + 10 * (n % 50), 'cached': 400 if k else 0, 'written': 90 if k else 600, 'output': 40 + n % 17, 'reasoning': 8, **step.get('usage', {})}
        info = dict(kind=kind, key=key, step=k, side=side, compact=compact, model=b.get('model'), n_items=len(items), usage=u, tools=[t[0] for t in step.get('tools', [])], names=names[:40] if k == 0 else None, time=time.time())
        if step.get('sleep'): time.sleep(step['sleep'])
        if step.get('status'):
            log(**info, status=step['status'])
            return self.send_json(step.get('body') or {'type': 'error', 'error': {'type': step.get('error', 'overloaded_error'), 'message': 'scripted failure'}}, step['status'], step.get('headers', []))
        (self.claude if kind == 'claude' else self.codex)(b, step, n, u, info, k)
    def start(self):
        self.send_response(200); self.send_header('request-id', f'req_{next(ids)}'); self.send_header('content-type', 'text/event-stream'); self.send_header('connection', 'close'); self.end_headers(); self.close_connection = True
    def event(self, d):
        self.wfile.write(f"event: {d['type']}\ndata: {json.dumps(d)}\n\n".encode()); self.wfile.flush()
    def claude(self, b, step, n, u, info, k):
        mid = step.get('id') or f'msg_{n:010d}'
        usage = {'input_tokens': u['input'], 'cache_creation_input_tokens': u['written'], 'cache_read_input_tokens': u['cached'], 'output_tokens': u['output'], 'service_tier': 'standard'}
        first = {**usage, 'output_tokens': step.get('first_output', 1)}
        content = []
        if step.get('thinking'): content.append({'type': 'thinking', 'thinking': step['thinking'], 'signature': 'c2ln'})
        if step.get('text') or not step.get('tools'): content.append({'type': 'text', 'text': step.get('text', 'Done.')})
        for j, (name, args) in enumerate(step.get('tools', [])): content.append({'type': 'tool_use', 'id': f'toolu_{n:010d}_{j}', 'name': name, 'input': args})
        stop = step.get('stop') or ('tool_use' if step.get('tools') else 'end_turn')
        msg = {'id': mid, 'type': 'message', 'role': 'assistant', 'model': b.get('model'), 'content': content, 'stop_reason': stop, 'stop_sequence': None, 'usage': usage}
        info.update(id=mid, stop=stop)
        if not b.get('stream'): log(**info, status=200); return self.send_json(msg)
        self.start(); self.event({'type': 'message_start', 'message': {**msg, 'content': [], 'stop_reason': None, 'usage': first}})
        for i, c in enumerate(content):
            if step.get('cut') == i: log(**info, status='cut'); self.wfile.flush(); self.connection.close() if False else None; return
            t = c['type']
            self.event({'type': 'content_block_start', 'index': i, 'content_block': {'text': {'type': 'text', 'text': ''}, 'thinking': {'type': 'thinking', 'thinking': '', 'signature': ''}, 'tool_use': {**c, 'input': {}}}[t]})
            for d in {'text': [{'type': 'text_delta', 'text': c.get('text')}], 'thinking': [{'type': 'thinking_delta', 'thinking': c.get('thinking')}, {'type': 'signature_delta', 'signature': 'c2ln'}], 'tool_use': [{'type': 'input_json_delta', 'partial_json': json.dumps(c.get('input'))}]}[t]:
                self.event({'type': 'content_block_delta', 'index': i, 'delta': d})
            if step.get('cut') == i + .5: log(**info, status='cut'); return
            if step.get('hang') == i + .5: log(**info, status='hang'); time.sleep(step.get('hang_s', 20)); return
            self.event({'type': 'content_block_stop', 'index': i})
            if step.get('pause'): time.sleep(step['pause'])
        if step.get('cut') == 'delta': log(**info, status='cut'); return
        if step.get('hang') == 'delta': log(**info, status='hang'); time.sleep(step.get('hang_s', 20)); return
        self.event({'type': 'message_delta', 'delta': {'stop_reason': stop, 'stop_sequence': None}, 'usage': usage})
        self.event({'type': 'message_stop'}); log(**info, status=200)
    def codex(self, b, step, n, u, info, k):
        rid = f'resp_{n:010d}'; info['id'] = rid
        usage = {'input_tokens': u['input'] , 'input_tokens_details': {'cached_tokens': u['cached']}, 'output_tokens': u['output'], 'output_tokens_details': {'reasoning_tokens': u['reasoning']}, 'total_tokens': u['input'] + u['output']}
        items = [{'type': 'reasoning', 'id': f'rs_{n}', 'summary': [{'type': 'summary_text', 'text': step.get('thinking', 'Look.')}], 'content': None, 'encrypted_content': None}]
        if step.get('text') or not step.get('tools'): items.append({'type': 'message', 'id': f'msg_{n}', 'role': 'assistant', 'status': 'completed', 'content': [{'type': 'output_text', 'text': step.get('text', 'Done.'), 'annotations': [], 'logprobs': []}]})
        for j, (name, args) in enumerate(step.get('tools', [])):
            if isinstance(args, str) and name.startswith('custom:'): items.append({'type': 'custom_tool_call', 'id': f'ctc_{n}_{j}', 'call_id': f'call_{n:010d}_{j}', 'name': name[7:], 'input': args, 'status': 'completed'})
            else:
                ns, _, nm = name.rpartition('/')
                items.append({'type': 'function_call', 'id': f'fc_{n}_{j}', 'call_id': f'call_{n:010d}_{j}', 'name': nm, **({'namespace': ns} if ns else {}), 'arguments': args if isinstance(args, str) else json.dumps(args), 'status': 'completed'})
        r = {'id': rid, 'object': 'response', 'created_at': int(time.time()), 'status': 'completed', 'model': b.get('model'), 'output': items, 'usage': usage, 'error': None, 'incomplete_details': None, 'instructions': None, 'metadata': {}, 'parallel_tool_calls': True, 'temperature': 1.0, 'tool_choice': 'auto', 'tools': [], 'top_p': 1.0}
        if not b.get('stream'): log(**info, status=200); return self.send_json(r)
        self.start(); self.event({'type': 'response.created', 'response': {**r, 'status': 'in_progress', 'output': [], 'usage': None}})
        for i, it in enumerate(items):
            if step.get('cut') == i: log(**info, status='cut'); return
            if step.get('hang') == i: log(**info, status='hang'); time.sleep(step.get('hang_s', 20)); return
            self.event({'type': 'response.output_item.added', 'output_index': i, 'item': it})
            if it['type'] == 'message': self.event({'type': 'response.output_text.delta', 'item_id': it['id'], 'output_index': i, 'content_index': 0, 'delta': it['content'][0]['text']})
            self.event({'type': 'response.output_item.done', 'output_index': i, 'item': it})
        if step.get('failed'):
            log(**info, status='failed'); return self.event({'type': 'response.failed', 'response': {**r, 'status': 'failed', 'error': {'code': step['failed'], 'message': 'scripted failure'}, 'usage': None}})
        if step.get('incomplete'):
            log(**info, status='incomplete'); return self.event({'type': 'response.incomplete', 'response': {**r, 'status': 'incomplete', 'incomplete_details': {'reason': step['incomplete']}}})
        self.event({'type': 'response.completed', 'response': r}); log(**info, status=200)
ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), H).serve_forever()
