// Announces the result of an action of the operator.

const element = document.getElementById('news');

export function announce(text) {
  element.textContent = text;
}
