// A section of the page: its state, and the number of its entries in the navigation.

export class Section {

  constructor(id) {
    this.element = document.getElementById(id);
    this.state = this.element.querySelector('.state');
    this.number = document.querySelector(`nav a[href='#${id}'] span`);
  }

  /** Shows the entries, or a sentence if there are none. */
  loaded(count, sentence) {
    this.write(count === 0 ? sentence : '', false);
    this.element.classList.toggle('none', count === 0);
    this.number.textContent = count;
  }

  /** The entries that were shown before stay, and may be out of date. */
  failed({ problems }) {
    this.write(problems.join(' '), true);
    this.element.classList.toggle('none', !this.element.querySelector('tbody tr'));
    this.number.textContent = '–';
  }

  write(text, failed) {
    this.element.ariaBusy = 'false';
    this.element.classList.toggle('failed', failed);
    if (this.state.textContent !== text) {
      this.state.textContent = text;
    }
  }

}
