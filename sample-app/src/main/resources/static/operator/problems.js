// Sentences about what is wrong.

/** Replaces what an element shows: each problem is a paragraph. */
export function problems(element, sentences) {
  element.replaceChildren(...sentences.map((sentence) => {
    const paragraph = document.createElement('p');
    paragraph.textContent = sentence;
    return paragraph;
  }));
}
