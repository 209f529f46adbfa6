// Letters: counts what is written as people count it, and keeps the newest in
// sight. live.js fetches what arrives; all works without either.
(() => {
  'use strict';

  const text = document.getElementById('text'), count = document.getElementById('text-count');
  const thread = document.getElementById('thread');

  // Code points, as the network counts them; maxlength would count UTF-16 units.
  function tell() {
    const most = Number(text.dataset.most);
    const left = most - [...text.value.replace(/\r\n?/g, '\n')].length;
    count.textContent = left < 0 ? -left + ' too many' : left <= 200 ? left + ' left' : 'At most ' + most.toLocaleString('en') + ' characters';
    count.classList.toggle('over', left < 0);
    text.setCustomValidity(left < 0 ? 'This letter is too long by ' + -left + '.' : '');
  }
  text.addEventListener('input', tell);
  text.addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) text.form.requestSubmit(); });
  tell();
  if (!thread) return;

  const end = () => { thread.scrollTop = thread.scrollHeight; };
  let sent = null;
  end();
  text.form.addEventListener('submit', () => { sent = text.value; });
  document.addEventListener('paper:swapped', (e) => {
    if (e.detail.id !== 'thread') return;
    // The sheet is cleared only once the letter is on it, and only if nothing
    // else was written meanwhile.
    if (sent !== null && !thread.querySelector('.trouble')) {
      if (text.value === sent) { text.value = ''; tell(); }
      sent = null;
    }
    end();
    window.paper.refresh('list').catch(() => {});
  });
})();
