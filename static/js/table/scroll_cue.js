// A visible sign that a box can be scrolled: its lower edge fades out (.scroll-cue in table.css).

/**
 * Mark a box while it has content below its lower edge. The sizes of its present children are watched;
 * the returned function is to be called after children were added.
 * @param {HTMLElement} box
 */
export function showScrollCue(box) {
  const update = () =>
    box.classList.toggle("more-below", box.scrollHeight - box.scrollTop - box.clientHeight > 4);
  box.classList.add("scroll-cue");
  box.addEventListener("scroll", update, { passive: true });
  const sizes = new ResizeObserver(update);
  for (const each of [box, ...box.children]) sizes.observe(each);
  return update;
}
