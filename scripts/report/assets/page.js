// Sorting, filtering, download. The page is complete without it.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstChild.addEventListener("click", () => {
    const descending = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const value = (row) => row.cells[column].textContent;
    const rows = [...body.rows].sort((a, b) => compare(value(a), value(b)) * (descending ? -1 : 1));
    body.append(...rows);
  }));
  table.closest("details").querySelector("input").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const row of body.rows) {
      const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}

function compare(a, b) {
  const x = Number(a), y = Number(b);
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? -1 : 1;
  return Number.isNaN(x) ? a.localeCompare(b) : x - y;
}

for (const button of document.querySelectorAll("button.download")) {
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    const text = document.querySelector(`script.results[data-name="${button.dataset.name}"]`).textContent;
    link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
    link.download = button.dataset.name;
    link.click();
  });
}

// Paper cannot be clicked: everything is open on it.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
