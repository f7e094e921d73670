// A bucket on the page: its level as a picture and in words, as the server told it last.

import { capacity, refill, spoken } from './words.js';

export class Bucket {

  constructor(element) {
    this.element = element;
    this.rule = element.dataset.rule;
    this.user = element.dataset.user;
    this.name = element.dataset.name;
    this.meter = element.querySelector('.vessel');
  }

  /** Whether this is the bucket that a rule takes from for a user. */
  holds(rule, user) {
    return this.rule === rule && (this.user === undefined || this.user === user);
  }

  show(told) {
    this.told = told;
    const level = told?.level ?? 0;
    this.element.classList.toggle('empty', told?.level === 0);
    this.meter.style.setProperty('--part', told ? level / told.capacity : 0);
    this.meter.ariaValueNow = level;
    this.meter.ariaValueMax = told?.capacity ?? 0;
    this.meter.ariaValueText = told ? spoken(told) : 'not known now';
    this.write('.count', told ? level : '');
    this.write('.capacity', told ? capacity(told) : 'Not known now');
    this.write('.refill', told ? refill(told) : '');
    this.write('.whose', told?.whose ?? '');
  }

  /** What an answer says is left. Answers overtake each other, but in a burst a level falls. */
  fall(left) {
    if (this.told && left < this.told.level) {
      this.show({ ...this.told, level: left, secondsToFull: undefined });
    }
  }

  write(selector, text) {
    const element = this.element.querySelector(selector);
    if (element) {
      element.textContent = text;
    }
  }

}
