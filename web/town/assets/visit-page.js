// What a guest sees and does. The passport is visit.js's affair; this file
// lends its guest token to live.js, keeps nothing, and shows where things stand.
(() => {
  'use strict';

  const gate = document.getElementById('gate'), town = document.getElementById('town');
  const leave = document.getElementById('visit-leave'), as = document.getElementById('visit-as');
  const home = document.documentElement.dataset.homeName;
  let stream = null, guest = null;

  window.paper.headers = () => ({ Authorization: 'Bearer ' + window.sgipVisit.token() });

  // show turns to one card of the gate, or to the town (null).
  function show(state, fill = {}) {
    for (const card of gate.querySelectorAll('[data-state]')) {
      card.hidden = card.dataset.state !== state;
      if (card.hidden) continue;
      for (const [of, text] of Object.entries(fill)) {
        const el = card.querySelector('[data-of="' + of + '"]');
        if (el) el.textContent = text;
      }
    }
    gate.hidden = state === null;
    town.hidden = leave.hidden = as.hidden = state !== null;
    document.body.dataset.visit = state || 'entered';
    gate.querySelector('[data-state="' + state + '"] .button')?.focus({ preventScroll: true });
  }

  function on(state, act, what) {
    gate.querySelector('[data-state=' + state + '] [data-act=' + act + ']').onclick = () => { show('waiting'); what(); };
  }

  document.addEventListener('sgip:question', (e) => {
    show('question', { name: e.detail.name, home: e.detail.home_name || e.detail.home });
    on('question', 'enter', e.detail.enter);
  });

  document.addEventListener('sgip:entered', async (e) => {
    const first = !guest;
    guest = e.detail.guest;
    as.textContent = (guest.avatar ? guest.avatar + ' ' : '') + guest.name + ' of ' + (home || guest.home);
    try {
      await window.paper.refresh('town');
    } catch { /* the stream fetches it once the town answers again */ }
    if (first || town.hidden) {
      show(null);
      // What needs to be seen to be placed, like the map, is placed now.
      document.dispatchEvent(new CustomEvent('paper:swapped', { detail: { id: 'town' } }));
    }
    if (stream) return;
    stream = new AbortController();
    window.paper.follow('/visit/live', () => window.paper.refresh('town').catch(() => {}), stream.signal);
  });

  document.addEventListener('sgip:refused', (e) => {
    const why = refusals[e.detail.code] || sentence(e.detail.message);
    if (e.detail.guest) { window.paper.say(why + ' You can stay until your last passport runs out.'); return; }
    show('refused', { why });
    on('refused', 'retry', e.detail.retry);
  });

  document.addEventListener('sgip:silent', (e) => {
    if (guest || document.documentElement.dataset.origins === '') return;
    show('silent');
    on('silent', 'retry', e.detail.retry);
  });

  document.addEventListener('sgip:over', (e) => {
    stream?.abort();
    stream = null;
    town.replaceChildren();
    const fill = { bye: guest ? ', ' + guest.name : '' };
    if (partings[e.detail.reason]) fill.reason = partings[e.detail.reason];
    guest = null;
    show('over', fill);
  });

  // The town says so where the visit has ended without this page's doing.
  document.addEventListener('paper:swapped', () => {
    const ended = town.querySelector('[data-over]');
    if (ended && guest) window.sgipVisit.exit(ended.dataset.over);
  });

  // What ends by the clock alone is told by no stream.
  let again = 0;
  document.addEventListener('paper:swapped', () => {
    clearTimeout(again);
    const wait = town.querySelector('[data-again]');
    if (wait) again = setTimeout(() => window.paper.refresh('town').catch(() => {}), 1000 * Number(wait.dataset.again) + 250);
  });

  leave.addEventListener('click', async () => {
    leave.disabled = true;
    await window.sgipVisit.leave('left');
    leave.disabled = false;
  });

  // The town says itself why it turns someone away.
  const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

  const refusals = {
    bad_signature: 'Your passport does not bear the right seal.',
    expired: 'Your passport is out of date. If a new one fails too, one of the two clocks is off.',
    invalid_payload: 'Your passport could not be read.',
    platform_offline: 'The passport office does not answer right now, so your papers can’t be checked.',
  };
  const partings = {
    expired: 'Your passport ran out, so the visit ended by itself. A postcard is on its way to your home.',
    idle: 'You were away for a while, so the visit ended by itself. A postcard is on its way to your home.',
    removed: 'The keeper of the town ended this visit. A postcard is on its way to your home.',
    moved: 'The visit goes on in another page. You can close this one.',
  };
})();
