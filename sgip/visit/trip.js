/*
The home page's script while one of its players is abroad: opens the host's
visit page in a frame or a tab, hands the passport over and brings the player
home (protocol 7.2 and 7.3). Load it with defer.

It reads from the page:
  <section id="trip"
    data-visit        visit id
    data-host-origin  host_origin of visit.request@1: the one origin it talks to
    data-launch       launch_url of visit.request@1
    data-embed        "true": frame; "false": tab
    data-ticket       POST address that answers { passport, expires_at }
    data-close        POST address that notes that the player is home
  ><iframe title="..."></iframe></section>
  The frame has no src: the script sets it once it listens. In tab mode there
  need not be a frame.
  Anywhere on the page, as buttons or in forms that work without script:
    [data-trip-return]  goes home
    [data-trip-open]    opens the visit in a tab, or finds the tab again
    [data-trip-retry]   loads the frame again

It fires CustomEvents on the section, bubbling:
  trip:waiting  {}                 the visit page is being opened
  trip:entered  { visit_id }       a passport was handed over
  trip:failed   { reason, message, retry(), open() }  reason: "silent" (10 s
                without a word), "ticket" (no passport to be had) or "blocked"
                (the browser allowed no tab). Call open() in a click
  trip:over     { visit_id }       the player is home; data-close has answered

It offers window.sgipTrip: { leave(), retry(), open() }
*/
(function () {
  "use strict";

  var SILENT_MS = 10 * 1000, CLOSE_MS = 5 * 1000;

  var trip = document.getElementById("trip");
  if (!trip) return;
  var visit = trip.dataset.visit, origin = trip.dataset.hostOrigin;
  var frame = trip.querySelector("iframe");
  var tab = null; // the visit's own tab, as far as it is known
  var silence = null, over = false, leaving = false, opening = false;
  var fetching = false, waiting = new Set(); // windows that wait for a passport

  window.addEventListener("message", onMessage);
  document.addEventListener("click", onClick);
  window.sgipTrip = { leave: leave, retry: retry, open: open };
  if (trip.dataset.embed === "true" && frame) retry();

  // --- messages

  function onMessage(event) {
    if (over || origin === "null" || event.origin !== origin) return;
    var data = event.data;
    if (typeof data !== "object" || data === null) return;
    if (!isVisitPage(event.source)) return;
    if (data.type === "sgip.ready") {
      window.clearTimeout(silence);
      if (!leaving) handOver(event.source);
    } else if (data.type === "sgip.exit" && data.visit_id === visit) {
      close();
    }
  }

  // isVisitPage compares windows. After a reload of this page the tab's handle
  // is lost: the tab of the host that speaks up is taken for it.
  function isVisitPage(source) {
    if (!source) return false;
    if (frame && source === frame.contentWindow) return true;
    if (tab && !tab.closed) return source === tab;
    if (source === window || source.top !== source) return false;
    tab = source;
    return true;
  }

  // handOver answers whoever asked, with one fetch at a time.
  async function handOver(source) {
    waiting.add(source);
    if (fetching) return;
    fetching = true;
    var ticket = await fetchTicket();
    fetching = false;
    var windows = Array.from(waiting);
    waiting.clear();
    if (over || leaving) return;
    if (!ticket.passport) return fail("ticket", ticket.message);
    windows.forEach(function (w) {
      w.postMessage({ type: "sgip.passport", token: ticket.passport }, origin);
    });
    fire("trip:entered", { visit_id: visit });
  }

  async function fetchTicket() {
    var sorry = "No passport could be had for this trip just now.";
    try {
      var response = await post(trip.dataset.ticket);
      var answer = await response.json();
      if (response.ok && typeof answer.passport === "string") return answer;
      return { message: (answer.error && answer.error.message) || sorry };
    } catch (_) {
      return { message: sorry };
    }
  }

  function post(url) {
    return fetch(url, {
      method: "POST", credentials: "same-origin", cache: "no-store",
      redirect: "manual", keepalive: true, headers: { Accept: "application/json" }
    });
  }

  // --- opening

  function retry() {
    if (over || !frame) return;
    fire("trip:waiting", {});
    frame.src = trip.dataset.launch;
    listenForSilence();
  }

  // open must run in the click itself. The empty address finds the tab of this
  // name where it still is, and makes a blank one otherwise.
  async function open() {
    if (over || opening) return;
    var opened = window.open("", "sgip-" + visit);
    if (!opened) return fail("blocked", "The browser did not allow a new tab.");
    tab = opened;
    opening = true;
    fire("trip:waiting", {});
    if (frame) frame.src = "about:blank"; // one page at a time
    var ticket = await fetchTicket();
    opening = false;
    if (over) return;
    if (!ticket.passport) {
      closeIfBlank(opened);
      return fail("ticket", ticket.message);
    }
    tab.location.replace(trip.dataset.launch + "#passport=" + ticket.passport);
    tab.focus();
    listenForSilence();
    fire("trip:entered", { visit_id: visit });
  }

  function closeIfBlank(opened) {
    try {
      if (opened.location.href === "about:blank") opened.close();
    } catch (_) {
      // It shows the visit page: another origin, and not blank.
    }
  }

  function listenForSilence() {
    window.clearTimeout(silence);
    silence = window.setTimeout(function () {
      fail("silent", "The other game has not answered.");
    }, SILENT_MS);
  }

  function fail(reason, message) {
    window.clearTimeout(silence);
    fire("trip:failed", { reason: reason, message: message, retry: retry, open: open });
  }

  // --- coming home

  function leave() {
    if (over || leaving) return;
    leaving = true;
    window.clearTimeout(silence);
    var page = tab && !tab.closed ? tab : frame && frame.contentWindow;
    if (!page) return close();
    page.postMessage({ type: "sgip.leave" }, origin);
    window.setTimeout(close, CLOSE_MS); // in any case
  }

  async function close() {
    if (over) return;
    over = true;
    window.clearTimeout(silence);
    if (frame) frame.remove();
    // Whoever leaves in the tab itself reads its farewell there.
    if (leaving && tab && !tab.closed) tab.close();
    try {
      await post(trip.dataset.close);
    } catch (_) {
      // The trip ends at home by visit.end@1 or with its passport.
    }
    fire("trip:over", { visit_id: visit });
  }

  // --- the page

  function onClick(event) {
    var target = event.target instanceof Element ? event.target : null;
    if (!target || over) return;
    if (target.closest("[data-trip-return]")) act(leave);
    else if (target.closest("[data-trip-open]")) act(open);
    else if (target.closest("[data-trip-retry]") && frame) act(retry);
    function act(what) {
      event.preventDefault();
      what();
    }
  }

  function fire(name, detail) {
    trip.dispatchEvent(new CustomEvent(name, { bubbles: true, detail: detail }));
  }
})();
