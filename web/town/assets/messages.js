// Letters: counts what is written as people count it, and shows what arrives.
// The form and the list work without it.
(() => {
  'use strict';

  const text = document.getElementById('text'), count = document.getElementById('text-count');
  if (text) {
    const most = Number(text.dataset.most);
    // Code points, as the network counts them; maxlength would count UTF-16 units.
    const tell = () => {
      const left = most - [...text.value.replace(/\r\n?/g, '\n')].length;
      count.textContent = left < 0 ? -left + ' too many' : left <= 200 ? left + ' left' : 'At most ' + most + ' characters';
      count.classList.toggle('over', left < 0);
      text.setCustomValidity(left < 0 ? 'This letter is too long by ' + -left + '.' : '');
    };
    text.addEventListener('input', tell);
    text.addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) text.form.requestSubmit(); });
    tell();
  }

  const atEnd = (thread) => { thread.scrollTop = thread.scrollHeight; };
  const first = document.getElementById('thread');
  if (!first) return;
  atEnd(first);

  let busy = false, again = false;
  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const r = await fetch(location.pathname, { headers: { 'X-Fragment': 'letters-thread' }, credentials: 'same-origin' });
      if (r.ok) swap(await r.text());
    } catch { /* the next wake tries again */ }
    busy = false;
    if (again) { again = false; refresh(); }
  }

  // swap keeps what is there and touches only letters that are new or changed,
  // so that a screen reader hears the new one alone.
  function swap(html) {
    const fresh = new DOMParser().parseFromString(html, 'text/html').getElementById('thread');
    const thread = document.getElementById('thread');
    if (!fresh || !thread) return;
    const low = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 80;
    thread.querySelector('.thread-none')?.remove();
    for (const letter of fresh.querySelectorAll('.letter')) {
      const old = document.getElementById(letter.id);
      if (!old) { letter.classList.add('new'); thread.append(letter); } else if (old.innerHTML !== letter.innerHTML) old.innerHTML = letter.innerHTML;
    }
    if (low) atEnd(thread);
  }

  const source = new EventSource('/messages/live');
  source.addEventListener('wake', refresh);
  addEventListener('pagehide', () => source.close());
})();
