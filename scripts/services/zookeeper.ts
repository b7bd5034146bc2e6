/**
 * ZooKeeper, standalone, its Java main run directly. Ticks are short so that tests can ask for sessions of
 * less than a second.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { findCommand, type Service } from './service.ts';

// Debian's jar names what it needs in its manifest, all but a logger.
const DEBIAN_JAR = '/usr/share/java/zookeeper.jar';
const DEBIAN_LOGGER = '/usr/share/java/slf4j-simple.jar';

export const zookeeper: Service = {
  name: 'zookeeper',
  // The jars without the system service that the package `zookeeper` would add.
  packages: ['libzookeeper-java', 'default-jre-headless'],
  portVariable: 'ORRERY_TEST_ZOOKEEPER_PORT',
  stopSignal: 'SIGTERM',

  /** A jar; an unpacked Apache release named by ZOOKEEPER_HOME comes first. */
  find() {
    if (!findCommand('java')) return undefined;
    const release = process.env.ZOOKEEPER_HOME;
    if (release && existsSync(join(release, 'lib'))) return join(release, 'lib', '*');
    return existsSync(DEBIAN_JAR) ? DEBIAN_JAR : undefined;
  },

  url: (port) => `127.0.0.1:${port}`,

  launch({ program, home, port, fast }) {
    const config = join(home, 'zoo.cfg');
    writeFileSync(
      config,
      [
        `dataDir=${join(home, 'data')}`,
        'clientPortAddress=127.0.0.1',
        `clientPort=${port}`,
        'tickTime=200',
        'minSessionTimeout=400',
        'maxSessionTimeout=600000',
        'maxClientCnxns=0',
        'admin.enableServer=false',
        '4lw.commands.whitelist=*',
        '',
      ].join('\n'),
    );
    const classpath = dirname(program) === dirname(DEBIAN_LOGGER) ? [program, DEBIAN_LOGGER] : [program];
    return {
      command: findCommand('java') ?? 'java',
      args: [
        '-Xmx256m',
        // Else Java leaves a folder in /tmp.
        '-XX:-UsePerfData',
        `-Dzookeeper.forceSync=${fast ? 'no' : 'yes'}`,
        // Else containers that are empty at the full minute vanish in the middle of a recorded scene.
        '-Dznode.container.checkIntervalMs=86400000',
        ...['-cp', classpath.join(delimiter)],
        ...['org.apache.zookeeper.server.ZooKeeperServerMain', config],
      ],
    };
  },

  ready: async ({ port }) => (await ask(port, 'ruok')) === 'imok',
};

/** The answer to one of ZooKeeper's four-letter words; empty when there is none. */
function ask(port: number, word: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 }, () => socket.write(word));
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}
