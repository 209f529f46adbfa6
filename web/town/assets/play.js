// What moves by the clock alone: the town's time, the pin on its way, the bar of
// what is under way. The server says how far things are; this goes on from there
// and asks again when they end. Without it the page shows how things stood.
(() => {
  'use strict';
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  let since = performance.now(), due = 0;
  const town = () => document.getElementById('town');

  const passed = () => performance.now() - since;

  function tick() {
    const clock = document.getElementById('clock');
    if (clock) {
      const minute = Math.floor(Number(clock.dataset.minute) + passed() / 1000 * Number(clock.dataset.rate)) % 1440;
      const two = (n) => String(n).padStart(2, '0');
      const text = `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
      if (clock.textContent !== text) clock.textContent = text;
    }
    const now = document.getElementById('now');
    if (now) {
      const total = Number(now.dataset.total), done = Math.min(total, Number(now.dataset.elapsed) + passed());
      now.querySelector('.now-bar')?.setAttribute('width', `${100 * done / total}%`);
      const left = now.querySelector('.now-left');
      if (left) left.textContent = Math.ceil((total - done) / 1000 * Number(now.dataset.rate));
    }
  }

  // The pin walks its trail, frame by frame.
  let trail = null, step = 0;
  function walk() {
    cancelAnimationFrame(step);
    const pin = document.getElementById('me-pin');
    if (pin?.dataset.trail) {
      if (!trail || trail.data !== pin.dataset.trail) {
        const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        path.setAttribute('d', pin.dataset.trail);
        trail = { data: pin.dataset.trail, path, length: path.getTotalLength() };
      }
      const share = Math.min(1, (Number(pin.dataset.elapsed) + passed()) / Number(pin.dataset.total));
      const at = trail.path.getPointAtLength(trail.length * share);
      pin.setAttribute('transform', `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`);
      if (share < 1 && !still.matches) step = requestAnimationFrame(walk);
    }
  }

  // When something ends by the clock, nobody pings: the page asks by itself.
  function schedule() {
    since = performance.now();
    clearTimeout(due);
    const root = town();
    if (!root?.dataset.from || root.hidden) return; // nobody is in yet, or any more
    const now = document.getElementById('now');
    const wait = now ? Number(now.dataset.total) - Number(now.dataset.elapsed) + 150 : 15000;
    due = setTimeout(() => paper.refresh('town').catch(schedule), Math.max(300, Math.min(wait, 15000)));
  }

  // On a small screen the map is larger than its window: show where I am.
  let seen = '';
  function centre(smooth) {
    const box = document.getElementById('map'), pin = document.getElementById('me-pin') || document.querySelector('.m-pin');
    if (!box || !pin || box.scrollWidth <= box.clientWidth + 1) return;
    const a = pin.getBoundingClientRect(), b = box.getBoundingClientRect();
    box.scrollBy({ left: a.x + a.width / 2 - b.x - b.width / 2, top: a.y + a.height / 2 - b.y - b.height / 2 - 10, behavior: smooth && !still.matches ? 'smooth' : 'instant' });
  }

  // A mouse drags the map as a finger does.
  let grip = null;
  document.addEventListener('pointerdown', (event) => {
    const box = event.target.closest?.('#map');
    if (box && event.pointerType === 'mouse' && !event.button) grip = { box, x: event.clientX, y: event.clientY, moved: false };
  });
  document.addEventListener('pointermove', (event) => {
    if (!grip) return;
    const dx = event.clientX - grip.x, dy = event.clientY - grip.y;
    if (!grip.moved && Math.hypot(dx, dy) < 5) return;
    grip.moved = true;
    grip.box.scrollBy({ left: -dx, top: -dy, behavior: 'instant' });
    grip.x = event.clientX; grip.y = event.clientY;
  });
  document.addEventListener('pointerup', () => { setTimeout(() => { grip = null; }); });
  document.addEventListener('dragstart', (event) => { if (event.target.closest?.('#map')) event.preventDefault(); });
  document.addEventListener('click', (event) => { if (grip?.moved) { event.preventDefault(); event.stopPropagation(); } }, true);

  function here() { return document.querySelector('.m-pin.here')?.id || ''; }

  document.addEventListener('paper:swapped', (event) => {
    if (event.detail.id !== 'town') return;
    schedule(); tick(); walk();
    if (!town()?.hidden && here() !== seen) { seen = here(); centre(true); }
  });

  // Picking a place on the map opens its paper, wherever that is.
  document.addEventListener('click', (event) => {
    if (!event.target.closest?.('.m-pin, .stat-hint a')) return;
    const tab = document.getElementById('tab-here');
    if (tab) tab.checked = true;
  });

  seen = here();
  schedule(); tick(); centre(false); walk();
  setInterval(tick, 250);
})();
