import { getIndentation, IndentContext, language, syntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import { yamlLanguage } from './yaml-language.ts';

const stateOf = (doc: string) => EditorState.create({ doc, extensions: [yamlLanguage] });

/** What is coloured, with its colour. */
function coloured(doc: string): string[] {
  const state = stateOf(doc);
  const tree = state.facet(language)?.parser.parse(doc) ?? syntaxTree(state);
  const found: string[] = [];
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      if (!node.firstChild && to > from && name !== 'Document') found.push(`${name}: ${doc.slice(from, to)}`);
    },
  });
  return found;
}

it('keys, values, comments and signs have their colours, in block and in flow style', () => {
  expect(coloured('# of the day\nname: daily-orders # nightly\ntasks:\n  - name: load\n')).toEqual([
    'comment: # of the day',
    'propertyName.definition: name',
    'separator: :',
    'comment: # nightly',
    'propertyName.definition: tasks',
    'separator: :',
    'separator: -',
    'propertyName.definition: name',
    'separator: :',
  ]);
  expect(coloured(`- { name: "a: b", needs: ['it''s', c#d], "x y": *old }`)).toEqual([
    'separator: -',
    'brace: {',
    'propertyName.definition: name',
    'separator: :',
    'string: "a: b"',
    'separator: ,',
    'propertyName.definition: needs',
    'separator: :',
    'squareBracket: [',
    "string: 'it''s'",
    'separator: ,',
    'squareBracket: ]',
    'separator: ,',
    'propertyName.definition: "x y"',
    'separator: :',
    'labelName: *old',
    'brace: }',
  ]);
});

it('a script in a block is text, whatever it looks like, until a line is no deeper', () => {
  const doc =
    '- script: |\n    # not a comment\n    key: value\n\n    done\n  retries: 3\n- text: >-\n   more\n';
  expect(coloured(doc)).toEqual([
    'separator: -',
    'propertyName.definition: script',
    'separator: :',
    'string.special: |',
    'propertyName.definition: retries',
    'separator: :',
    'separator: -',
    'propertyName.definition: text',
    'separator: :',
    'string.special: >-',
  ]);
  expect(coloured('a: "begun\n  # here\n  ended" # over\nb: 1')).toContain('comment: # over');
});

it('a line begins below the key before it, after its dash, and inside its block', () => {
  const after = (doc: string) =>
    getIndentation(new IndentContext(stateOf(doc), { simulateBreak: doc.length }), doc.length);
  expect(after('tasks:')).toBe(0);
  expect(after('  - name: load')).toBe(4);
  expect(after('    type: shell')).toBe(4);
  expect(after('      script: |')).toBe(8);
  expect(after('  - script: >-  # folded')).toBe(6);
  expect(after('        exit 1')).toBe(8);
});
