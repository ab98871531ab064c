// What a test asks about the page it runs in. Each function returns findings as text, so that an empty list is a pass.
const probe = (() => {
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const where = (element) => {
    const place = element.closest("section[id], details[id], nav, header") || element.parentElement;
    return `"${element.textContent.trim().slice(0, 40)}" in ${place.id || place.className || place.tagName}`;
  };
  // Elements that hold text themselves; SVG text included.
  const texts = () => {
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      const shown = !element.closest("script, style, title") && visible(element);
      if (walker.currentNode.data.trim() && shown) found.add(element);
    }
    return [...found];
  };
  // Pixels per unit of the picture that the element is in; 1 outside of pictures.
  const scale = (element) => (element.ownerSVGElement ? element.getScreenCTM() : null);
  const fontSize = (element) => {
    const size = parseFloat(getComputedStyle(element).fontSize);
    const matrix = scale(element);
    return matrix ? size * Math.hypot(matrix.a, matrix.b) : size;
  };

  const rgb = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const over = (top, alpha, below) => below.map((v, i) => alpha * top[i] + (1 - alpha) * v);
  // What is painted under the middle of the element: filled shapes and backgrounds, from the top down.
  const background = (element) => {
    const box = element.getClientRects()[0];  // its first line: the middle of a wrapped one may be on nothing
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const layers = [];
    const first = stack.indexOf(element) + (element.ownerSVGElement ? 1 : 0);  // HTML text stands on its own background
    for (const below of stack.slice(first)) {
      const style = getComputedStyle(below);
      const filled = below.ownerSVGElement && below.tagName !== "text" && style.fill.startsWith("rgb");
      const colour = filled ? style.fill : below.ownerSVGElement ? "" : style.backgroundColor;
      const parts = rgb(colour);
      if (parts.length < 3) continue;
      const opacity = parseFloat(style.opacity) * (filled ? parseFloat(style.fillOpacity) : 1);
      const alpha = opacity * (parts.length > 3 ? parts[3] : 1);
      if (alpha > 0) layers.push([parts.slice(0, 3), alpha]);
      if (alpha === 1) break;
    }
    return layers.reverse().reduce((below, [colour, alpha]) => over(colour, alpha, below), [255, 255, 255]);
  };

  return {
    smallText: (least) => texts().filter((element) => fontSize(element) < least - 0.01).map(
      (element) => `${fontSize(element).toFixed(1)} px: ${where(element)}`),
    faintText: (least) => texts().flatMap((element) => {
      element.scrollIntoView({block: "center", behavior: "instant"});
      const style = getComputedStyle(element);
      const colour = rgb(element.ownerSVGElement ? style.fill : style.color).slice(0, 3);
      const ratio = contrast(colour, background(element));
      return ratio < least ? [`${ratio.toFixed(2)}: ${where(element)}`] : [];
    }),
    // Text of a picture that leaves it or touches other text of the same picture.
    collisions: () => [...document.querySelectorAll("figure svg")].filter(visible).flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      const labels = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
      const boxes = labels.map((text) => text.getBoundingClientRect());
      const found = [];
      boxes.forEach((box, i) => {
        const beyond = [frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom];
        if (Math.max(...beyond) > 1) found.push(`outside: ${where(labels[i])}`);
        boxes.slice(i + 1).forEach((other, j) => {
          const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
          const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
          // The boxes have the font's full line height, so the letters of two lines are apart at a little overlap.
          if (width > 1 && height > 0.45 * Math.min(box.height, other.height))
            found.push(`overlap: ${where(labels[i])} and "${labels[i + 1 + j].textContent}"`);
        });
      });
      return found;
    }),
    // Not against innerWidth: a phone's grows with the page.
    overflow: (width) => (document.documentElement.scrollWidth > width
      ? [`the page is ${document.documentElement.scrollWidth} px wide, the screen ${width}`] : []),
    pictures: () => Object.fromEntries([...document.querySelectorAll("section.plot")].map(
      (plot) => [plot.id, [...plot.querySelectorAll("figure svg")].filter((svg) => svg.querySelector("path")).length])),
    column: (table, index) => [...document.querySelectorAll(`#table-${table} tbody tr`)].filter(
      (row) => !row.hidden).map((row) => row.cells[index].textContent),
  };
})();
