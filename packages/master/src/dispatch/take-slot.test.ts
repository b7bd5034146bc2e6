import { isFinal } from '@orrery/core/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TakeSlot, takeMachine } from './take-slot.ts';

const asked = (number: number, room = 4) => ({ number, room, waiting: undefined });

describe('the take of a worker', () => {
  it('is had by the queue or by a commit, never by both', () => {
    const slot = new TakeSlot();
    expect([slot.try(), slot.lend(true)]).toEqual([undefined, undefined]);
    slot.ask(asked(1));
    expect(slot.try()).toEqual(asked(1));
    expect(slot.lend(true)).toBeUndefined();
    // The commit may have put something in the queue after the queue was asked.
    expect(slot.finish()).toBe(true);
    expect(slot.lend(true)).toEqual(asked(1));
    expect(slot.try()).toBeUndefined();
    slot.answer(1);
    expect(slot.finish()).toBe(false);
    expect(slot.open).toBeUndefined();
  });

  it('is lent to a commit that fills nothing only until somebody has looked', () => {
    const slot = new TakeSlot();
    slot.ask(asked(1));
    expect(slot.lend(false)).toEqual(asked(1));
    expect(slot.finish()).toBe(false);
    expect(slot.lend(false)).toBeUndefined();
    expect(slot.lend(true)).toEqual(asked(1));
    slot.defer();
    expect(slot.finish()).toBe(false);
    expect(slot.lend(false)).toEqual(asked(1));
  });

  it('without room is tried but never lent', () => {
    const slot = new TakeSlot();
    slot.ask(asked(1, 0));
    expect(slot.lend(true)).toBeUndefined();
    expect(slot.isUntried).toBe(false);
    expect(slot.try()).toEqual(asked(1, 0));
  });

  it('that follows while the one before is answered stays open', () => {
    const slot = new TakeSlot();
    slot.ask(asked(1));
    slot.try();
    slot.ask(asked(2));
    slot.answer(1);
    expect(slot.finish()).toBe(false);
    expect(slot.open).toEqual(asked(2));
    expect(slot.isUntried).toBe(true);
  });

  it('is open again when what answered it could not be sent, before or after it is finished', () => {
    for (const isEarly of [true, false]) {
      const slot = new TakeSlot();
      slot.ask(asked(1));
      slot.try();
      slot.answer(1);
      if (isEarly) slot.restore(asked(1));
      expect(slot.finish()).toBe(false);
      if (!isEarly) slot.restore(asked(1));
      expect([slot.open, slot.isUntried]).toEqual([asked(1), true]);
      expect(slot.try()).toEqual(asked(1));
    }
  });

  it('accepts every order of what may happen to it, and is never had twice', () => {
    const steps = ['ask', 'try', 'lend', 'answer', 'fail', 'finish', 'restore', 'close'] as const;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 60 }), (list) => {
        const slot = new TakeSlot();
        let number = 0;
        let had: number | undefined;
        let closed = false;
        for (const step of list) {
          const isHad = had !== undefined;
          if (step === 'ask') slot.ask(asked(++number));
          if (step === 'close') {
            slot.close();
            closed = true;
          }
          if (step === 'answer' && had !== undefined) slot.answer(had);
          if (step === 'fail') slot.defer();
          if (step === 'restore' && number > 0) slot.restore(asked(number));
          if (step === 'finish' && isHad) {
            slot.finish();
            had = undefined;
          }
          const given = step === 'try' ? slot.try() : step === 'lend' ? slot.lend(true) : undefined;
          if (given) expect(isHad || closed).toBe(false);
          if (given) had = given.number;
        }
        if (closed)
          expect([slot.open, slot.try(), slot.lend(true)]).toEqual([undefined, undefined, undefined]);
      }),
    );
    expect(isFinal(takeMachine, 'closed')).toBe(true);
  });
});
