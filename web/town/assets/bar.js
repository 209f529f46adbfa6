// The mark at Letters in the bar: whatever part of the page is renewed says how
// many are unread, and the bar, which isn't part of it, follows.
(() => {
  'use strict';
  document.addEventListener('paper:swapped', () => {
    const said = document.querySelector('[data-unread]'), link = document.querySelector('.bar-links a[href="/messages"]');
    if (!said || !link) return;
    const n = Number(said.dataset.unread);
    let mark = link.querySelector('.count');
    if (n === 0) { mark?.remove(); return; }
    if (!mark) {
      mark = Object.assign(document.createElement('b'), { className: 'count' });
      mark.append(' ', Object.assign(document.createElement('span'), { className: 'sr', textContent: ' unread' }));
      link.append(mark);
    }
    mark.firstChild.nodeValue = String(n);
  });
})();
