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

  // follow reads a stream of small JSON objects; the browser reconnects by itself.
  function follow(url, on) {
    const source = new EventSource(url);
    source.addEventListener('purse', (e) => on(JSON.parse(e.data), source));
    addEventListener('pagehide', () => source.close());
  }

  function put(el, text) {
    if (!el || el.textContent === text) return;
    el.textContent = text;
    el.classList.remove('moved');
    void el.offsetWidth; // lets the same short motion run again
    el.classList.add('moved');
  }

  function ribbon(bar) {
    const border = document.getElementById('border');
    const say = (when) => {
      for (const el of border.querySelectorAll('[data-when]')) el.hidden = el.dataset.when !== when;
      border.hidden = false;
      document.body.dataset.trip = when;
    };
    let over = false;
    const goHome = () => { over = true; say('over'); location.assign(bar.dataset.postcard); };
    const embedded = () => !!document.querySelector('#trip iframe');
    document.addEventListener('trip:waiting', () => { if (!over) say('waiting'); });
    document.addEventListener('trip:failed', () => { if (!over) say('failed'); });
    document.addEventListener('trip:entered', () => {
      if (over) return;
      if (!embedded()) { say('tab'); return; }
      document.body.dataset.trip = 'entered';
      border.classList.add('through');
      const done = () => { border.hidden = true; };
      if (matchMedia('(prefers-reduced-motion: reduce)').matches) done(); else setTimeout(done, 900);
    });
    document.addEventListener('trip:over', goHome);
    follow(bar.dataset.live, (purse, source) => {
      for (const of of ['left', 'wallet', 'time']) if (purse[of]) put(bar.querySelector('[data-of=' + of + ']'), purse[of]);
      if (purse.over && !over) { source.close(); goHome(); }
    });
  }

  for (const form of document.querySelectorAll('form.dial')) dial(form);
  document.getElementById('trouble')?.scrollIntoView({ block: 'center' });
  const bar = document.getElementById('ribbon');
  if (bar) ribbon(bar);
  const waiting = document.querySelector('.postcard[data-wait]');
  if (waiting) follow(waiting.dataset.wait, (purse, source) => { if (purse.postcard) { source.close(); location.reload(); } });
})();
