// The keeper's link bears its key in the fragment, which no server ever sees:
// it moves into the form and out of the address bar. Without this file the key
// is copied by hand.
(() => {
  'use strict';
  const field = document.getElementById('key'), key = /^#key=([\w-]+)$/.exec(location.hash);
  if (!field || !key) return;
  field.value = key[1];
  history.replaceState(history.state, '', location.pathname + location.search);
})();
