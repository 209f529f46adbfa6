// Pages work as plain forms and links; this makes them work without a reload.
//
//   <form data-live="ID">        sent in the background; what comes back is laid
//                                into the element with that id (X-Fragment: ID)
//   <a data-live="ID" href>      the same for a link; while the page stays open the
//                                element is renewed from there
//   <div id="ID" data-stream="/play/live" data-from="/play">
//                                fetched anew whenever the stream says so
//   <g id="ID2" data-keep>       large and never changing: an answer may leave it empty,
//                                since X-Keep says that the page has it
//   data-count="KEY" data-value="N"
//                                shows by how much N has changed since before
//
// For pages with a token in memory: paper.headers = () => ({Authorization: …}).
// After each change of #ID the document gets "paper:swapped" {id}.
(() => {
  'use strict';
  const paper = { headers: () => ({}), swap, refresh, follow, send };
  window.paper = paper;

  const still = matchMedia('(prefers-reduced-motion: reduce)');

  function counts(root) {
    const now = new Map();
    for (const el of root.querySelectorAll('[data-count]')) now.set(el.dataset.count, Number(el.dataset.value));
    return now;
  }

  // A number that changed shows the difference for a moment, beside itself.
  function showDeltas(root, before) {
    for (const el of root.querySelectorAll('[data-count]')) {
      const was = before.get(el.dataset.count), is = Number(el.dataset.value);
      if (was === undefined || was === is) continue;
      const by = is - was, tag = document.createElement('span');
      tag.className = by > 0 ? 'delta' : 'delta down';
      tag.setAttribute('aria-hidden', 'true');
      const step = Number(el.dataset.unit || 1);
      tag.textContent = (by > 0 ? '+' : '−') + Math.abs(by / step).toLocaleString('en', { maximumFractionDigits: step > 1 ? 2 : 0 });
      el.append(tag);
      tag.addEventListener('animationend', () => tag.remove());
      if (still.matches) setTimeout(() => tag.remove(), 1800);
    }
  }

  // What someone is writing, or has opened, survives a swap.
  const callbacks = {
    beforeNodeMorphed: (old, fresh) => !(fresh.nodeType === 1 && fresh.hasAttribute('data-keep') && old.firstChild && !fresh.firstChild),
    beforeAttributeUpdated(name, node) {
      if (name === 'open' && node.tagName === 'DETAILS') return false;
      return true;
    },
  };

  function swap(id, html) {
    const root = document.getElementById(id);
    if (!root) return;
    const before = counts(root);
    Idiomorph.morph(root, html, { morphStyle: 'innerHTML', ignoreActiveValue: true, callbacks });
    showDeltas(root, before);
    document.dispatchEvent(new CustomEvent('paper:swapped', { detail: { id } }));
  }

  // Answers of one element are laid in in the order they were asked for; one
  // that is overtaken is dropped.
  const asked = new Map();
  async function ask(id, url, init) {
    const turn = (asked.get(id) || 0) + 1;
    asked.set(id, turn);
    const kept = document.getElementById(id)?.querySelector('[data-keep]')?.id;
    const headers = { 'X-Fragment': id, Accept: 'text/html', ...(kept && { 'X-Keep': kept }), ...paper.headers(), ...init.headers };
    const answer = await fetch(url, { ...init, headers, credentials: 'same-origin' });
    const html = await answer.text();
    if (asked.get(id) !== turn) return answer;
    if (answer.headers.get('X-Fragment') === id) swap(id, html);
    else if (answer.redirected) location.assign(answer.url);
    else if (answer.status === 401) location.assign('/');
    else if (!answer.ok) say('The town could not take that. Nothing was lost; try again in a moment.');
    return answer;
  }

  function refresh(id, url) {
    return ask(id, url || document.getElementById(id)?.dataset.from || location.href, { method: 'GET' });
  }

  // A link shows the same element differently; the address follows where it is
  // this page's own.
  function visit(link) {
    const root = document.getElementById(link.dataset.live);
    const url = new URL(link.getAttribute('href'), location.href);
    if (root) root.dataset.from = url.pathname + url.search;
    if (url.pathname === location.pathname) history.replaceState(null, '', url);
    refresh(link.dataset.live, url.href).catch(() => say('No answer from the town. Nothing was lost; try again in a moment.'));
  }

  // A deed ends what a link had picked, before it is sent: the stream's ping may
  // overtake its answer.
  function unpick(root) {
    if (!root?.dataset.from) return;
    root.dataset.from = root.dataset.from.split('?')[0];
    if (location.search && location.pathname === root.dataset.from) history.replaceState(null, '', root.dataset.from);
  }

  async function send(form, submitter) {
    const body = new URLSearchParams(new FormData(form, submitter));
    unpick(document.getElementById(form.dataset.live));
    if (submitter) submitter.setAttribute('aria-busy', 'true');
    try {
      return await ask(form.dataset.live, form.action, { method: 'POST', body });
    } catch {
      say('No answer from the town. Nothing was lost; try again in a moment.');
    } finally {
      submitter?.removeAttribute('aria-busy');
    }
  }

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!form.dataset.live || event.defaultPrevented || form.method !== 'post') return;
    event.preventDefault();
    const busy = event.submitter?.getAttribute('aria-busy') === 'true';
    if (!busy) send(form, event.submitter);
  });

  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[data-live]');
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    visit(link);
  });

  function say(text) {
    let box = document.getElementById('toast');
    if (!box) {
      box = Object.assign(document.createElement('p'), { id: 'toast', className: 'toast' });
      box.setAttribute('role', 'status');
      document.body.append(box);
    }
    box.textContent = text;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => box.remove(), 6000);
  }
  paper.say = say;

  // EventSource can't carry a token, so the stream is read by fetch. It comes
  // back by itself, slower each time nobody answers. It looks whenever it has
  // been opened: what changed between the page and the stream woke nobody.
  async function follow(url, ping, signal) {
    let wait = 500;
    while (!signal?.aborted) {
      try {
        const answer = await fetch(url, { headers: { Accept: 'text/event-stream', ...paper.headers() }, signal });
        if ([401, 403, 404].includes(answer.status)) return;
        if (!answer.ok) throw new Error(answer.status);
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          wait = 500;
          text += value;
          const events = text.split('\n\n');
          text = events.pop();
          if (events.some((e) => e.startsWith('event: ping') || e.startsWith(': open'))) ping();
        }
      } catch { /* gone; asked again below */ }
      await new Promise((go) => setTimeout(go, wait));
      wait = Math.min(wait * 2, 15000);
    }
  }

  document.addEventListener('DOMContentLoaded', () => {
    for (const el of document.querySelectorAll('[data-stream]')) {
      follow(el.dataset.stream, () => refresh(el.id).catch(() => {}));
    }
  });
})();
