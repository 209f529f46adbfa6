// What a guest sees and does. The passport is visit.js's affair; this file
// asks it for the guest token, keeps nothing, and swaps in what the town sends.
(() => {
  'use strict';

  const gate = document.getElementById('gate'), town = document.getElementById('town'), say = document.getElementById('say');
  const leave = document.getElementById('visit-leave'), as = document.getElementById('visit-as');
  let stream = null, leaving = false;

  function show(state, fill = {}) {
    for (const card of gate.querySelectorAll('[data-state]')) {
      card.hidden = card.dataset.state !== state;
      if (card.hidden) continue;
      for (const [of, text] of Object.entries(fill)) {
        const el = card.querySelector('[data-of="' + of + '"]');
        if (el) el.textContent = text;
      }
      card.querySelector('button, a')?.focus();
    }
    gate.hidden = state === null;
    document.body.dataset.visit = state || 'entered';
  }

  const auth = () => ({ Authorization: 'Bearer ' + window.sgipVisit.token() });

  async function ask(url, body) {
    const r = await fetch(url, {
      method: body ? 'POST' : 'GET', headers: auth(), body, credentials: 'omit', cache: 'no-store', redirect: 'error',
    });
    return { status: r.status, html: await r.text() };
  }

  // Whatever the town answers is its own HTML: the town as it is now, and a
  // line about what happened, kept where screen readers hear it.
  function swap(html) {
    const doc = new DOMParser().parseFromString(html, 'text/html');
    const line = doc.querySelector('[data-say]');
    if (line) tell(line.textContent.trim(), line.dataset.say);
    const fresh = doc.getElementById('town-now');
    if (!fresh) return;
    const held = document.activeElement && town.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const top = [...town.querySelectorAll('[data-keep-scroll]')].map((el) => el.scrollTop);
    town.replaceChildren(fresh);
    town.querySelectorAll('[data-keep-scroll]').forEach((el, i) => { el.scrollTop = top[i] || 0; });
    if (held) town.querySelector('[data-key="' + CSS.escape(held) + '"]')?.focus({ preventScroll: true });
  }

  let quiet = 0;
  function tell(text, kind) {
    say.textContent = text;
    say.className = 'visit-say shown ' + (kind || '');
    clearTimeout(quiet);
    quiet = setTimeout(() => say.classList.remove('shown'), 9000);
  }

  async function look() {
    try {
      const r = await ask('/visit/town');
      if (r.status === 200) swap(r.html);
    } catch { /* the stream tells when the town is back */ }
  }

  async function act(form, button) {
    const body = new URLSearchParams(new FormData(form, button));
    const buying = form.action.endsWith('/visit/buy');
    if (buying) tell('Asking your home …', 'asking');
    town.setAttribute('aria-busy', 'true');
    for (const b of form.querySelectorAll('button')) b.disabled = true;
    try {
      swap((await ask(form.getAttribute('action'), body)).html);
    } catch {
      // A purchase that was asked goes on without this page: its receipt tells.
      tell(buying ? 'The line dropped. If it went through, the receipt shows it; if not, nothing was taken.' : 'The line dropped. Nothing was lost; try once more.', 'bad');
      for (const b of form.querySelectorAll('button')) b.disabled = false;
    }
    town.removeAttribute('aria-busy');
  }

  // An event stream by fetch, since EventSource can't carry the token.
  async function follow() {
    stream?.abort();
    const mine = stream = new AbortController();
    for (let wait = 1000; !mine.signal.aborted; wait = Math.min(wait * 2, 30000)) {
      try {
        const r = await fetch('/visit/live', { headers: auth(), signal: mine.signal, credentials: 'omit', cache: 'no-store' });
        if (r.status === 200) { wait = 1000; await read(r.body.getReader()); }
      } catch { /* tried again below */ }
      if (!mine.signal.aborted) await new Promise((go) => setTimeout(go, wait));
    }
  }

  async function read(reader) {
    const text = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + text.decode(value, { stream: true })).split('\n');
      rest = lines.pop();
      if (lines.some((line) => line === 'event: wake')) look();
    }
  }

  async function entered(e) {
    const { guest } = e.detail;
    const again = !town.hidden;
    as.textContent = (guest.avatar ? guest.avatar + ' ' : '') + guest.name + ' of ' + (document.documentElement.dataset.homeName || guest.home);
    as.hidden = false;
    leave.hidden = false;
    await look();
    town.hidden = false;
    show(null);
    if (!again) { tell('Welcome, ' + guest.name + '!', 'good'); follow(); }
  }

  document.addEventListener('sgip:question', (e) => {
    show('question', { name: e.detail.name, home: document.documentElement.dataset.homeName || e.detail.home });
    gate.querySelector('[data-act=enter]').onclick = () => { show('waiting'); e.detail.enter(); };
  });
  document.addEventListener('sgip:entered', entered);
  document.addEventListener('sgip:refused', (e) => {
    if (!town.hidden) { tell('Your passport could not be renewed: ' + e.detail.message, 'bad'); return; }
    show('refused', { why: refusals[e.detail.code] || e.detail.message });
    gate.querySelector('[data-act=retry]').onclick = () => { show('waiting'); e.detail.retry(); };
  });
  document.addEventListener('sgip:over', (e) => {
    stream?.abort();
    town.hidden = true;
    town.replaceChildren();
    leave.hidden = true;
    say.classList.remove('shown');
    const said = partings[e.detail.reason];
    show('over', said ? { reason: said } : {});
  });

  const refusals = {
    bad_signature: 'Your passport does not bear the right seal.',
    expired: 'Your passport is out of date. Your home makes a new one when you try again; if that fails, one of the two clocks is off.',
    forbidden: 'This passport is for another visit, or this visit is over.',
    invalid_payload: 'Your passport could not be read.',
    platform_offline: 'The passport office does not answer right now, so we cannot check your papers.',
  };
  const partings = {
    expired: 'Your passport ran out, so the visit ended by itself. A postcard is on its way to your home.',
    idle: 'You were away for a while, so the visit ended by itself. A postcard is on its way to your home.',
    removed: 'The keeper of the town ended this visit. A postcard is on its way to your home.',
  };

  leave.addEventListener('click', () => {
    if (leaving) return;
    leaving = true;
    leave.disabled = true;
    Promise.resolve(window.sgipVisit.leave('left')).catch(() => tell('The line dropped, so you are still here. Try once more.', 'bad'))
      .finally(() => { leaving = false; leave.disabled = false; });
  });
  town.addEventListener('submit', (e) => { e.preventDefault(); act(e.target, e.submitter); });
})();
