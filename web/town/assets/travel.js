// The travel desk's dials, the ribbon of a trip, and the wait for a postcard.
// Every page here works without this file but for the frame itself, which
// trip.js fills; it tells us how it goes by events on the document.
(() => {
  'use strict';

  // money writes whole minor units in the reader's own way.
  function money(minor, digits, currency) {
    const sign = minor < 0n ? '-' : '';
    const all = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
    const whole = all.slice(0, all.length - digits), part = digits ? all.slice(-digits) : '';
    const lang = document.documentElement.lang || 'en';
    const shown = /^0*$/.test(part) ? 0 : digits;
    if (!/^[A-Z]{3}$/.test(currency)) return sign + BigInt(whole).toLocaleString(lang) + (shown ? '.' + part : '') + ' ' + currency.replace(/^.*:/, '');
    return new Intl.NumberFormat(lang, { style: 'currency', currency, currencyDisplay: 'narrowSymbol', minimumFractionDigits: shown, maximumFractionDigits: shown })
      .format(sign + whole + (shown ? '.' + part : ''));
  }

  // minor reads what was typed as whole minor units, or null.
  function minor(text, digits) {
    const m = /^\s*(\d[\d, _]*)(?:\.(\d*))?\s*$/.exec(text);
    if (!m || (m[2] || '').length > digits) return null;
    return BigInt(m[1].replace(/[, _]/g, '') + (m[2] || '').padEnd(digits, '0'));
  }

  function dial(form) {
    const range = form.querySelector('.dial-range'), field = form.querySelector('[name=budget]'), out = form.querySelector('output');
    if (!range) return;
    const d = range.dataset, digits = Number(d.digits), unit = 10n ** BigInt(digits);
    const show = (amount) => {
      if (amount === null) { out.textContent = 'Write a plain number, like 10,000'; return; }
      if (amount === 0n) { out.textContent = 'No money: looking around costs nothing'; return; }
      const gets = amount * BigInt(d.get) / BigInt(d.give);
      out.textContent = money(amount, digits, d.currency) + ', about ' + money(gets, Number(d.getDigits), d.getCurrency);
    };
    const fill = () => range.style.setProperty('--at', (100 * (range.value - range.min) / (range.max - range.min || 1)) + '%');
    range.hidden = false;
    range.addEventListener('input', () => {
      const amount = BigInt(range.value);
      field.value = amount % unit === 0n ? (amount / unit).toLocaleString('en') : (Number(amount) / Number(unit)).toFixed(digits);
      show(amount);
      fill();
    });
    field.addEventListener('input', () => {
      const amount = minor(field.value, digits);
      if (amount !== null) { range.value = String(amount); fill(); }
      show(amount);
    });
    fill();
  }

  // ribbon follows the trip: trip.js tells how the crossing goes, live.js keeps
  // the purse up to date and follows the server home once the trip is over.
  function ribbon(bar) {
    const border = document.getElementById('border');
    const what = border.querySelector('[data-of=what]'), why = border.querySelector('[data-of=why]');
    const silent = [what.textContent, why.textContent];
    const began = performance.now(), stampSeen = 1500; // ms
    let over = false, tab = false;
    const say = (when) => {
      for (const el of border.querySelectorAll('[data-when]')) el.hidden = el.dataset.when !== when;
      border.hidden = false;
      border.classList.remove('through');
      document.body.dataset.trip = when;
    };
    document.addEventListener('click', (e) => {
      if (e.target.closest('[data-trip-open]')) tab = true;
      if (e.target.closest('[data-trip-retry]')) tab = false;
      if (e.target.closest('[data-trip-return]')) say('over');
    });
    document.addEventListener('trip:waiting', () => { if (!over) say('waiting'); });
    document.addEventListener('trip:failed', (e) => {
      if (over) return;
      [what.textContent, why.textContent] = failures[e.detail.reason] || silent;
      say('failed');
      border.querySelector('[data-when=failed] button').focus();
    });
    document.addEventListener('trip:entered', () => {
      if (over) return;
      if (tab || !document.querySelector('#trip iframe')) { say('tab'); return; }
      document.body.dataset.trip = 'entered';
      // The stamp is seen to land before the town opens.
      const rest = Math.max(0, stampSeen - (performance.now() - began));
      setTimeout(() => {
        border.classList.add('through');
        setTimeout(() => { if (border.classList.contains('through')) border.hidden = true; }, 250);
      }, still.matches ? 0 : rest);
    });
    // The trip has ended in another of our pages, or by the host: this one takes
    // leave too, so that no guest stays behind in a frame that nobody looks at.
    document.addEventListener('paper:swapped', () => {
      if (!over && bar.querySelector('[data-trip-over]')) { say('over'); window.sgipTrip.leave(); }
    });
    document.addEventListener('trip:over', () => { over = true; say('over'); location.assign(bar.dataset.postcard); });
  }

  // clock walks on between two looks at the server; a town's minute is short.
  function clock() {
    let shown = null, from = 0, since = 0;
    setInterval(() => {
      const el = document.querySelector('.ribbon-time [data-minute]');
      if (!el) return;
      if (shown !== el.dataset.minute) { shown = el.dataset.minute; from = Number(shown); since = performance.now(); }
      const now = Math.floor(from + (performance.now() - since) / 1000 * Number(el.dataset.rate)) % 1440;
      el.textContent = String(Math.floor(now / 60)).padStart(2, '0') + ':' + String(now % 60).padStart(2, '0');
    }, 500);
  }

  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const failures = {
    ticket: ['The passport office is silent', 'No fresh passport could be had just now. Nothing is lost; try again in a moment.'],
    blocked: ['The browser kept the tab shut', 'It may ask at its address bar whether this page may open one. Nothing is lost.'],
  };

  for (const form of document.querySelectorAll('form.dial')) dial(form);
  document.getElementById('trouble')?.scrollIntoView({ block: 'center' });
  const bar = document.getElementById('ribbon');
  if (bar) { ribbon(bar); clock(); }
})();
