import { expect, it } from 'vitest';
import { readAudit } from './npm-audit.ts';

const fault = (severity: string) => ({ severity, range: '<2.0.0', isDirect: true });

it('fails with each package that has a serious fault', () => {
  const vulnerabilities = { left: fault('high'), right: fault('critical'), other: fault('moderate') };
  expect(readAudit(JSON.stringify({ vulnerabilities }))).toEqual({
    passed: 0,
    failed: 2,
    lines: [
      'failed: left <2.0.0 has a fault that is high',
      'failed: right <2.0.0 has a fault that is critical',
    ],
  });
  expect(readAudit(JSON.stringify({ vulnerabilities: { other: fault('low') } }))).toMatchObject({
    passed: 1,
    failed: 0,
  });
});

it.each(['', 'not JSON', '{"message":"405 Method Not Allowed"}'])(
  'proves nothing, and says so, where the registry answers %j',
  (text) => {
    const { passed, failed, lines } = readAudit(text);
    expect([passed, failed, lines[0]]).toEqual([0, 0, expect.stringContaining('could not be asked')]);
  },
);
