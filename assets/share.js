// The share dialog: copies a field, says that it did; a field one enters is selected whole.
(function () {
  "use strict";

  const SHOWN_MS = 2000;

  function say(menu, name, button) {
    const said = menu.querySelector(".share-said");
    if (said) said.textContent = said.dataset[name];
    if (name !== "said") return;
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), SHOWN_MS);
  }

  function old(field) {
    field.select();
    return document.execCommand("copy");
  }

  // Without https there is no clipboard API; then the older command, then the reader's own hand.
  async function copy(field) {
    if (!navigator.clipboard) return old(field);
    try {
      await navigator.clipboard.writeText(field.value);
      return true;
    } catch {
      return old(field);
    }
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest && event.target.closest("button[data-copy]");
    if (!button) return;
    const field = button.closest(".field").querySelector("textarea");
    const copied = await copy(field);
    say(button.closest(".share-menu"), copied ? "said" : "failed", button);
  });

  document.addEventListener("focusin", (event) => {
    if (event.target.matches && event.target.matches(".share textarea")) event.target.select();
  });
})();
