// A visible sign that a box can be scrolled: its lower edge fades out (.scroll-cue in table.css).

/**
 * Mark a box while it has content below its lower edge. Returns a function to call after its content has changed.
 * @param {HTMLElement} box
 */
export function showScrollCue(box) {
  const update = () =>
    box.classList.toggle("more-below", box.scrollHeight - box.scrollTop - box.clientHeight > 4);
  box.classList.add("scroll-cue");
  box.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(box);
  return update;
}
