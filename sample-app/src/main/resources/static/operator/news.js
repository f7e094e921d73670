// What an action of the operator has done.

const element = document.getElementById('news');

export function announce(text) {
  element.textContent = text;
}
