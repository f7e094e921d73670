// A bucket on the page: its level, or its permits in use, as a picture and in words, as the server last reported it.

import { amount, capacity, refill, spoken } from './words.js';

export class Bucket {

  constructor(element) {
    this.element = element;
    this.rule = element.dataset.rule;
    this.user = element.dataset.user;
    this.name = element.dataset.name;
    this.meter = element.querySelector('[role=meter]');
  }

  /** Whether this is the bucket of a rule for a user. */
  matches(rule, user) {
    return this.rule === rule && (this.user === undefined || this.user === user);
  }

  show(state) {
    this.state = state;
    const shown = state ? amount(state) : 0;
    this.element.classList.toggle('empty', state?.level === 0);
    this.meter.style.setProperty('--part', state ? shown / state.capacity : 0);
    this.meter.ariaValueNow = shown;
    this.meter.ariaValueMax = state?.capacity ?? 0;
    this.meter.ariaValueText = state ? spoken(state) : 'unknown';
    this.write('.count', state ? shown : '');
    this.write('.capacity', state ? capacity(state) : 'Unknown');
    this.write('.refill', state ? refill(state) : '');
    this.write('.whose', state?.whose ?? '');
  }

  /** Shows the level of a response. Responses may arrive out of order, but during a burst the level only falls. */
  fall(left) {
    if (this.state && left < this.state.level) {
      this.show({ ...this.state, level: left, secondsToFull: undefined });
    }
  }

  write(selector, text) {
    const element = this.element.querySelector(selector);
    if (element) {
      element.textContent = text;
    }
  }

}
