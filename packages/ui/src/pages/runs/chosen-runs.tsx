/** What can be done with the runs that are selected, or with the current one: buttons and keys, drawn from their actions. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count as countText } from '../../model/number.ts';
import { actionOfMany } from '../../model/runs.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ActionItem } from '../../parts/action-item.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ChosenBar } from '../../parts/list/chosen-bar.tsx';
import type { ListControl } from '../../parts/list/use-list-place.ts';
import { type BulkAction, bulkActions, bulkWords } from './bulk-words.ts';
import type { Runs } from './use-runs.ts';

interface ChosenRunsProps {
  readonly runs: Pick<Runs, 'rows' | 'total'>;
  readonly control: ListControl;
  /** Asks before it is done with some runs, or with all that match. */
  onAsk(action: BulkAction, meant: readonly number[] | 'all'): void;
}

export function ChosenRuns({ runs: { rows, total }, control, onAsk }: ChosenRunsProps) {
  const { text, locale } = useLanguage();
  const { data: me } = useApi('showMe', {});
  const { chosen, current } = control.place;
  // A current row that another filter removed from the list is no valid target: the user does not see it.
  const listed = rows.find(({ id }) => String(id) === current);
  const ids = chosen.size > 0 ? [...chosen].map(Number) : listed ? [listed.id] : [];
  const meant = new Set(ids);
  const known = rows.filter(({ id }) => meant.has(id));
  const noRight =
    me && !me.rights.includes('createBulk') ? text('runs.bulk.noRight', { role: me.role }) : undefined;
  const actionOf = (name: BulkAction) =>
    actionOfMany(name, known, { all: known.length === ids.length, noRight });
  const paused = !actionOf('pause').allowed && actionOf('resume').allowed;
  const keyed: Partial<Record<BulkAction, string>> = {
    recover: 'R',
    rerun: 'r',
    [paused ? 'resume' : 'pause']: 'p',
    stop: 's',
    tag: 't',
  };
  useKeys(
    bulkActions.flatMap((name) => {
      const [keys, action] = [keyed[name], actionOf(name)];
      if (keys === undefined) return [];
      const refused = action.allowed ? undefined : action;
      return {
        keys,
        label: text(bulkWords[name]),
        refused: ids.length === 0 ? text('runs.bulk.pick') : refused,
        run: () => onAsk(name, ids),
      };
    }),
  );
  return (
    <ChosenBar count={chosen.size} onClear={() => control.chooseAll([])}>
      {total && total.value > chosen.size && (
        <Menu withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <Button variant="subtle" rightSection={<IconChevronDown size={14} />}>
              {text('runs.chosenOfAll', {
                count: countText(total.value, locale) + (total.more ? '+' : ''),
              })}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{text('runs.allMatching')}</Menu.Label>
            {bulkActions.map((name) => (
              <ActionItem
                key={name}
                action={{ allowed: noRight === undefined, reason: noRight }}
                label={text(bulkWords[name])}
                onRun={() => onAsk(name, 'all')}
              />
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {bulkActions.map((name) => (
        <ActionButton
          key={name}
          action={actionOf(name)}
          label={text(bulkWords[name])}
          keys={keyed[name]}
          danger={name === 'stop'}
          onRun={() => onAsk(name, ids)}
        />
      ))}
    </ChosenBar>
  );
}
