BEGIN TRANSACTION;
CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO migration VALUES(1,'first');
INSERT INTO migration VALUES(2,'tags');
INSERT INTO migration VALUES(3,'life');
CREATE TABLE numbers (value INTEGER NOT NULL);
INSERT INTO numbers VALUES(7);
CREATE TABLE node (
      id TEXT PRIMARY KEY, roles TEXT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL, fenced BIGINT NOT NULL,
      beat BIGINT NOT NULL, beat_at BIGINT NOT NULL, joined_at BIGINT NOT NULL, info TEXT NOT NULL, clock_offset BIGINT, clock_fault TEXT, draining BIGINT NOT NULL DEFAULT 0, drain_by BIGINT, state TEXT NOT NULL DEFAULT 'acting', reason TEXT);
INSERT INTO node VALUES('local-4b5cab88','master,api','127.0.0.1:7071',1,0,12,1794994329502,1794994318108,'{"room":"2000","sessionTimeout":"6000","lease":"30000","limit.cpu":"undefined","limit.memory":"0.95","limit.eventLoopDelay":"5000"}',0,NULL,0,NULL,'acting',NULL);
CREATE TABLE worker (
      id TEXT PRIMARY KEY, address TEXT NOT NULL, epoch BIGINT NOT NULL, lost BIGINT NOT NULL, take BIGINT NOT NULL,
      beat BIGINT NOT NULL, beat_at BIGINT NOT NULL, joined_at BIGINT NOT NULL, slots BIGINT NOT NULL,
      groups TEXT NOT NULL, draining BIGINT NOT NULL, load TEXT NOT NULL, task_types TEXT NOT NULL, unhealthy TEXT, unhealthy_since BIGINT);
INSERT INTO worker VALUES('local-4b5cab88','',1,0,4,2,1794994328818,1794994318470,8,'["default"]',0,'{"cpu":1,"memory":0.31320631499629314,"running":1}','[]',NULL,NULL);
CREATE TABLE project (
      name TEXT PRIMARY KEY, params TEXT NOT NULL, revision BIGINT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO project VALUES('default','{}',0,1794994321609);
CREATE TABLE cluster_setting (name TEXT PRIMARY KEY, body TEXT NOT NULL, revision BIGINT NOT NULL);
INSERT INTO cluster_setting VALUES('schedules','{}',1);
CREATE TABLE workflow (
      id BIGINT PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, live BIGINT, deleted_at BIGINT,
      created_at BIGINT NOT NULL, UNIQUE (project, name));
INSERT INTO workflow VALUES(1,'default','old',1,NULL,1794994321609);
INSERT INTO workflow VALUES(3,'default','bad',1,NULL,1794994323074);
INSERT INTO workflow VALUES(4,'default','open',1,NULL,1794994323867);
CREATE TABLE workflow_version (workflow BIGINT NOT NULL, version BIGINT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, source TEXT NOT NULL,
      note TEXT NOT NULL, author TEXT NOT NULL, origin TEXT NOT NULL, created_at BIGINT NOT NULL, tags TEXT NOT NULL DEFAULT '[]', PRIMARY KEY (workflow, version)) WITHOUT ROWID;
INSERT INTO workflow_version VALUES(1,1,'{"project":"default","name":"old","tags":["eu"],"priority":"medium","mode":"parallel","onFailure":"continue","workerGroup":"default","tenant":"default","timezone":"UTC","params":{},"triggers":[],"tasks":[{"name":"extract","type":"shell","needs":[],"with":{"script":"echo \"#{setValue(rows=3)}\""},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"},{"name":"load","type":"shell","needs":["extract"],"with":{"script":"echo ${rows}"},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"}],"schedules":[{"name":"nightly","cron":"0 0 3 * * ?","misfire":{"policy":"fire-once","threshold":60000},"params":{},"timezone":"UTC"}]}','760d2fa57abab7635aa8df55c954e961667fabe338d0437542064f2fb6ffbc7a',replace('name: old\ntags: [eu]\ntasks:\n  - {name: extract, type: shell, with: {script: ''echo "#{setValue(rows=3)}"''}}\n  - {name: load, type: shell, needs: extract, with: {script: ''echo ${rows}''}}\nschedules:\n  - {name: nightly, cron: ''0 0 3 * * ?''}\n','\n',char(10)),'','admin','apply',1794994321609,'["eu"]');
INSERT INTO workflow_version VALUES(3,1,'{"project":"default","name":"bad","tags":[],"priority":"medium","mode":"parallel","onFailure":"continue","workerGroup":"default","tenant":"default","timezone":"UTC","params":{},"triggers":[],"tasks":[{"name":"fail","type":"shell","needs":[],"with":{"script":"exit 3"},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"}],"schedules":[]}','c0759e33d6d11ef0f3bc8df6bb3f8da1dda8030fc4fc6a7171338b4437f6772d',replace('name: bad\ntasks:\n  - {name: fail, type: shell, with: {script: exit 3}}\n','\n',char(10)),'','admin','apply',1794994323074,'[]');
INSERT INTO workflow_version VALUES(4,1,'{"project":"default","name":"open","tags":[],"priority":"medium","mode":"parallel","onFailure":"continue","workerGroup":"default","tenant":"default","timezone":"UTC","params":{},"triggers":[],"tasks":[{"name":"first","type":"shell","needs":[],"with":{"script":"sleep 600"},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"},{"name":"then","type":"noop","needs":["first"],"with":{},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"}],"schedules":[]}','f6cc2ed8d17b47ff93162e5e30d20b2e4c99e31cc7b5531f6f4cbddd12106ff5',replace('name: open\ntasks:\n  - {name: first, type: shell, with: {script: sleep 600}}\n  - {name: then, type: noop, needs: first}\n','\n',char(10)),'','admin','apply',1794994323867,'[]');
CREATE TABLE workflow_use (project TEXT NOT NULL, name TEXT NOT NULL, workflow BIGINT NOT NULL, used_as TEXT NOT NULL, PRIMARY KEY (project, name, workflow, used_as)) WITHOUT ROWID;
CREATE TABLE trigger_due (workflow BIGINT NOT NULL, run BIGINT NOT NULL, round BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      state TEXT NOT NULL, business_time BIGINT NOT NULL, outputs TEXT NOT NULL, chain BIGINT NOT NULL,
      created_at BIGINT NOT NULL, PRIMARY KEY (workflow, run, round)) WITHOUT ROWID;
CREATE TABLE deadline (workflow BIGINT PRIMARY KEY, body TEXT NOT NULL, due BIGINT NOT NULL);
CREATE TABLE alert (id INTEGER PRIMARY KEY, at BIGINT NOT NULL, kind TEXT NOT NULL, workflow BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      run BIGINT, text TEXT NOT NULL, from_time BIGINT, to_time BIGINT);
CREATE TABLE trigger_mark (workflow BIGINT NOT NULL, name TEXT NOT NULL, on_project TEXT NOT NULL, on_name TEXT NOT NULL, run BIGINT NOT NULL,
      outputs TEXT NOT NULL, marked_at BIGINT NOT NULL, PRIMARY KEY (workflow, name, on_project, on_name)) WITHOUT ROWID;
CREATE TABLE workflow_need (kind TEXT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL, workflow BIGINT NOT NULL, PRIMARY KEY (kind, project, name, workflow)) WITHOUT ROWID;
CREATE TABLE environment (
      name TEXT PRIMARY KEY, body TEXT NOT NULL, revision BIGINT NOT NULL, changed_at BIGINT NOT NULL);
CREATE TABLE draft (
      workflow BIGINT PRIMARY KEY, body TEXT NOT NULL, base BIGINT, revision BIGINT NOT NULL, author TEXT NOT NULL,
      saved_at BIGINT NOT NULL);
CREATE TABLE schedule (
      id BIGINT PRIMARY KEY, workflow BIGINT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, enabled BIGINT NOT NULL,
      version BIGINT NOT NULL, fired_until BIGINT NOT NULL, next_due BIGINT, holder TEXT, holder_epoch BIGINT,
      UNIQUE (workflow, name));
INSERT INTO schedule VALUES(2,1,'nightly','{"name":"nightly","cron":"0 0 3 * * ?","misfire":{"policy":"fire-once","threshold":60000},"params":{},"timezone":"UTC"}',1,1,1794994321609,1795057200000,NULL,NULL);
CREATE TABLE tick (schedule BIGINT NOT NULL, due BIGINT NOT NULL, fired_at BIGINT NOT NULL, run BIGINT NOT NULL, PRIMARY KEY (schedule, due)) WITHOUT ROWID;
CREATE TABLE tick_skip (schedule BIGINT NOT NULL, first_due BIGINT NOT NULL, last_due BIGINT NOT NULL, count BIGINT NOT NULL,
      reason TEXT NOT NULL, recorded_at BIGINT NOT NULL, PRIMARY KEY (schedule, first_due)) WITHOUT ROWID;
CREATE TABLE command (seq INTEGER PRIMARY KEY, priority BIGINT NOT NULL, workflow BIGINT NOT NULL, limited BIGINT NOT NULL,
      replay_of BIGINT, body TEXT NOT NULL, created_at BIGINT NOT NULL, parent BIGINT, parent_task BIGINT, parent_round BIGINT, parent_element BIGINT);
CREATE TABLE idempotency (key TEXT PRIMARY KEY, answer TEXT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO idempotency VALUES('publishWorkflows 0 1c71c5c4-6af7-4f47-8c42-34694a156e4d','5844d78776e56c29d7b5b239be9cf7cf86f2b58c7676a8a6b13a4cb952e8e188 {"dryRun":true,"workflows":[{"project":"default","name":"old","version":null,"changed":true,"created":true,"diff":[]}]}',1794994321543);
INSERT INTO idempotency VALUES('publishWorkflows 0 8fddf357-b524-47d8-9823-639b23c723aa','d0d585fa95e23764dc3833421b5fe1a70759a75c985e625ea3fe74a5bab1b932 {"dryRun":false,"workflows":[{"project":"default","name":"old","version":1,"changed":true,"created":true,"diff":[]}]}',1794994321628);
INSERT INTO idempotency VALUES('publishWorkflows 0 20dab309-78db-4cdd-93d5-246cb76a45f2','ca5d5476a07a9973021d7a60123981a6a960d9d7f192175659083cbf6f5e0934 {"dryRun":true,"workflows":[{"project":"default","name":"bad","version":null,"changed":true,"created":true,"diff":[]}]}',1794994322940);
INSERT INTO idempotency VALUES('publishWorkflows 0 c1e0b38a-f5f7-440f-9b09-c73b5ecb6129','5bac70051379d9137c60ce981f5baeb0f09c40207f4faeb758581f2a963ec624 {"dryRun":false,"workflows":[{"project":"default","name":"bad","version":1,"changed":true,"created":true,"diff":[]}]}',1794994323104);
INSERT INTO idempotency VALUES('publishWorkflows 0 2835585b-0d96-4c15-a4d3-2854e73319c9','57d96beceec2c6dee9add98a787dde39d954a753214ead740d2cda0d701a545b {"dryRun":true,"workflows":[{"project":"default","name":"open","version":null,"changed":true,"created":true,"diff":[]}]}',1794994323809);
INSERT INTO idempotency VALUES('publishWorkflows 0 722c1710-3f88-4ed8-8f6d-a161c75372ec','2ee9725e868be8946f02169df149486bf886b522e909f31c5d19f89dc53ac4d8 {"dryRun":false,"workflows":[{"project":"default","name":"open","version":1,"changed":true,"created":true,"diff":[]}]}',1794994323877);
INSERT INTO idempotency VALUES('02b332d8-d19b-45d3-8baf-bdcf4bdb163c','5',1794994324804);
INSERT INTO idempotency VALUES('da815398-a535-49f0-a9cc-de8539e08523','6',1794994326543);
INSERT INTO idempotency VALUES('5ff56dda-241c-4ad9-855c-df269a8b1abb','7',1794994327427);
CREATE TABLE run (id INTEGER PRIMARY KEY, workflow BIGINT NOT NULL, version BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      kind TEXT NOT NULL, trigger_kind TEXT NOT NULL, state TEXT NOT NULL, priority BIGINT NOT NULL, owner TEXT,
      owner_epoch BIGINT, request TEXT NOT NULL, fields TEXT NOT NULL, revision BIGINT NOT NULL,
      business_time BIGINT NOT NULL, parent BIGINT, parent_task BIGINT, parent_round BIGINT, parent_element BIGINT,
      replay_of BIGINT, created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT, standing BIGINT NOT NULL,
      tags TEXT, error TEXT, fingerprint TEXT, outputs TEXT, counts BIGINT NOT NULL DEFAULT 1, idle BIGINT NOT NULL DEFAULT 0);
INSERT INTO run VALUES(5,1,1,'default','old','normal','manual','success',2,NULL,NULL,'{"project":"default","priority":"medium","onFailure":"continue","businessTime":1794994324804,"timezone":"UTC","dryRun":false,"counts":true,"depth":0,"id":5,"scope":{"kind":"all","tasks":[]}}','{"state":"success","since":1794994325166,"round":1,"roundKind":"start","roundStarted":1794994324806,"picked":[],"params":{}}',2,1794994324804,NULL,NULL,NULL,NULL,NULL,1794994324804,1794994324806,1794994325166,1,'["eu"]',NULL,NULL,NULL,1,0);
INSERT INTO run VALUES(6,3,1,'default','bad','normal','manual','failed',2,NULL,NULL,'{"project":"default","priority":"medium","onFailure":"continue","businessTime":1794994326543,"timezone":"UTC","dryRun":false,"counts":true,"depth":0,"id":6,"scope":{"kind":"all","tasks":[]}}','{"state":"failed","since":1794994326756,"round":1,"roundKind":"start","roundStarted":1794994326581,"picked":[],"params":{}}',2,1794994326543,NULL,NULL,NULL,NULL,NULL,1794994326543,1794994326581,1794994326757,2,NULL,'exit code 3','exit code #',NULL,1,0);
INSERT INTO run VALUES(7,4,1,'default','open','normal','manual','running',2,'local-4b5cab88',1,'{"project":"default","priority":"medium","onFailure":"continue","businessTime":1794994327427,"timezone":"UTC","dryRun":false,"counts":true,"depth":0,"id":7,"scope":{"kind":"all","tasks":[]}}','{"state":"running","since":1794994327466,"round":1,"roundKind":"start","roundStarted":1794994327466,"picked":[],"params":{}}',1,1794994327427,NULL,NULL,NULL,NULL,NULL,1794994327427,1794994327466,NULL,0,NULL,NULL,NULL,NULL,1,0);
CREATE TABLE task_run (run BIGINT NOT NULL, task BIGINT NOT NULL, state TEXT NOT NULL, round BIGINT NOT NULL, since BIGINT NOT NULL,
      body TEXT NOT NULL, attempt BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (run, task)) WITHOUT ROWID;
INSERT INTO task_run VALUES(5,0,'success',1,1794994325022,'{"shards":[{"state":"success","attempt":1,"failures":0,"lost":0,"worker":"local-4b5cab88","outputs":{"rows":"3"}}],"started":1794994324806,"outputs":{"rows":"3"}}',1);
INSERT INTO task_run VALUES(5,1,'success',1,1794994325166,'{"shards":[{"state":"success","attempt":1,"failures":0,"lost":0,"worker":"local-4b5cab88"}],"started":1794994325022,"outputs":{}}',1);
INSERT INTO task_run VALUES(6,0,'failed',1,1794994326756,'{"shards":[{"state":"failed","attempt":1,"failures":1,"lost":0,"worker":"local-4b5cab88","error":"exit code 3"}],"started":1794994326581,"reason":"exit code 3"}',1);
INSERT INTO task_run VALUES(7,0,'running',1,1794994327546,'{"shards":[{"state":"out","attempt":1,"failures":0,"lost":0,"since":1794994327546,"worker":"local-4b5cab88"}],"started":1794994327466}',1);
CREATE TABLE attempt (run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL,
      worker TEXT, late BIGINT NOT NULL, queued_at BIGINT, assigned_at BIGINT, started_at BIGINT, ended_at BIGINT NOT NULL,
      exit_code BIGINT, cpu_time BIGINT, peak_memory BIGINT, error TEXT, log_tail TEXT, late_state TEXT, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
INSERT INTO attempt VALUES(5,0,-1,1,'success','local-4b5cab88',0,1794994324823,1794994324823,1794994324843,1794994325001,0,0,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(5,1,-1,1,'success','local-4b5cab88',0,1794994325025,1794994325025,1794994325047,1794994325165,0,0,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(6,0,-1,1,'failed','local-4b5cab88',0,1794994326591,1794994326591,1794994326653,1794994326756,3,0,NULL,'exit code 3','',NULL);
CREATE TABLE inbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, run BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE ready (worker_group TEXT NOT NULL, run_priority BIGINT NOT NULL, run BIGINT NOT NULL, task_priority BIGINT NOT NULL,
      task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, target TEXT, avoid TEXT,
      limited BIGINT NOT NULL, payload TEXT NOT NULL, queued_at BIGINT NOT NULL, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
CREATE TABLE assignment (run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, worker TEXT NOT NULL,
      worker_epoch BIGINT NOT NULL, take BIGINT NOT NULL, killed BIGINT NOT NULL, limited BIGINT NOT NULL,
      payload TEXT NOT NULL, queued_at BIGINT NOT NULL, assigned_at BIGINT NOT NULL, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
INSERT INTO assignment VALUES(7,0,-1,1,'local-4b5cab88',1,4,0,0,'{"attempt":{"run":7,"task":0,"shard":-1,"number":1},"owner":"local-4b5cab88","project":"default","workflow":"open","taskName":"first","type":"shell","with":{"script":"sleep 600"},"params":{},"secrets":[],"shardCount":1,"shardParameter":"","onLostContact":"kill"}',1794994327480,1794994327480);
CREATE TABLE limit_size (name TEXT PRIMARY KEY, slots BIGINT NOT NULL, held BIGINT NOT NULL);
CREATE TABLE limit_slot (name TEXT NOT NULL, run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL,
      owner TEXT NOT NULL, PRIMARY KEY (name, run, task, shard, number)) WITHOUT ROWID;
CREATE TABLE limit_turn (name TEXT NOT NULL, owner TEXT NOT NULL, turn BIGINT NOT NULL, PRIMARY KEY (name, owner)) WITHOUT ROWID;
CREATE TABLE limit_wait (name TEXT NOT NULL, owner TEXT NOT NULL, priority BIGINT NOT NULL, seq BIGINT NOT NULL, workflow BIGINT,
      run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL,
      body TEXT NOT NULL, since BIGINT NOT NULL, paused BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
CREATE TABLE fact (workflow BIGINT NOT NULL, business_time BIGINT NOT NULL, run BIGINT NOT NULL, round BIGINT NOT NULL,
      state TEXT NOT NULL, tasks TEXT NOT NULL, ended_at BIGINT NOT NULL, counts BIGINT NOT NULL DEFAULT 1, PRIMARY KEY (workflow, business_time, run, round)) WITHOUT ROWID;
INSERT INTO fact VALUES(1,1794994324804,5,1,'success','{"extract":"success","load":"success"}',1794994325166,1);
INSERT INTO fact VALUES(3,1794994326543,6,1,'failed','{"fail":"failed"}',1794994326757,1);
CREATE TABLE dependency_wait (run BIGINT NOT NULL, task BIGINT NOT NULL, round BIGINT NOT NULL, since BIGINT NOT NULL, look_at BIGINT NOT NULL, PRIMARY KEY (run, task, round)) WITHOUT ROWID;
CREATE TABLE dependency_on (workflow BIGINT NOT NULL, run BIGINT NOT NULL, task BIGINT NOT NULL, round BIGINT NOT NULL, PRIMARY KEY (workflow, run, task, round)) WITHOUT ROWID;
CREATE TABLE shard_plan (workflow BIGINT NOT NULL, task TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (workflow, task)) WITHOUT ROWID;
CREATE TABLE feed_writer (node TEXT NOT NULL, epoch BIGINT NOT NULL, newest BIGINT NOT NULL, PRIMARY KEY (node, epoch)) WITHOUT ROWID;
INSERT INTO feed_writer VALUES('',0,7);
INSERT INTO feed_writer VALUES('local-4b5cab88',1,10);
CREATE TABLE event (node TEXT NOT NULL, epoch BIGINT NOT NULL, n BIGINT NOT NULL, topic TEXT NOT NULL, subject BIGINT NOT NULL,
      revision BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (node, epoch, n)) WITHOUT ROWID;
INSERT INTO event VALUES('',0,1,'workflow',1,1,'{"project":"default","name":"old"}',1794994321609);
INSERT INTO event VALUES('',0,2,'schedule',2,1,'{"what":"set","workflow":1}',1794994321609);
INSERT INTO event VALUES('',0,3,'workflow',3,1,'{"project":"default","name":"bad"}',1794994323074);
INSERT INTO event VALUES('',0,4,'workflow',4,1,'{"project":"default","name":"open"}',1794994323867);
INSERT INTO event VALUES('',0,5,'run',5,0,'{"state":"queued","workflow":1}',1794994324804);
INSERT INTO event VALUES('',0,6,'run',6,0,'{"state":"queued","workflow":3}',1794994326543);
INSERT INTO event VALUES('',0,7,'run',7,0,'{"state":"queued","workflow":4}',1794994327427);
INSERT INTO event VALUES('local-4b5cab88',1,1,'node',0,1,'{"id":"local-4b5cab88","what":"joined"}',1794994318108);
INSERT INTO event VALUES('local-4b5cab88',1,2,'worker',0,1,'{"id":"local-4b5cab88","what":"joined"}',1794994318470);
INSERT INTO event VALUES('local-4b5cab88',1,3,'run',5,1,'{"state":"running","workflow":1,"tasks":[0]}',1794994324823);
INSERT INTO event VALUES('local-4b5cab88',1,4,'run',5,1,'{"state":"running","workflow":1,"tasks":[0,1]}',1794994325025);
INSERT INTO event VALUES('local-4b5cab88',1,5,'run',5,1,'{"state":"running","workflow":1,"tasks":[1]}',1794994325076);
INSERT INTO event VALUES('local-4b5cab88',1,6,'run',5,2,'{"state":"success","workflow":1,"tasks":[1]}',1794994325166);
INSERT INTO event VALUES('local-4b5cab88',1,7,'run',6,1,'{"state":"running","workflow":3,"tasks":[0]}',1794994326591);
INSERT INTO event VALUES('local-4b5cab88',1,8,'run',6,2,'{"state":"failed","workflow":3,"tasks":[0]}',1794994326757);
INSERT INTO event VALUES('local-4b5cab88',1,9,'run',7,1,'{"state":"running","workflow":4,"tasks":[0]}',1794994327480);
INSERT INTO event VALUES('local-4b5cab88',1,10,'run',7,1,'{"state":"running","workflow":4,"tasks":[0]}',1794994327757);
CREATE TABLE history (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at BIGINT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE need_mute (
      id TEXT PRIMARY KEY, actor TEXT NOT NULL, at BIGINT NOT NULL, until BIGINT, seen BIGINT NOT NULL,
      reason TEXT NOT NULL);
CREATE TABLE bulk (id INTEGER PRIMARY KEY, action TEXT NOT NULL, state TEXT NOT NULL, list TEXT, asked TEXT, below BIGINT, project TEXT, actor TEXT NOT NULL,
      reason TEXT, total BIGINT NOT NULL, told BIGINT NOT NULL, refused BIGINT NOT NULL, refusals TEXT NOT NULL,
      revision BIGINT NOT NULL, created_at BIGINT NOT NULL, ended_at BIGINT, ended_by TEXT, tags TEXT);
CREATE TABLE bulk_run (bulk BIGINT NOT NULL, run BIGINT NOT NULL, outcome TEXT NOT NULL, reason TEXT, PRIMARY KEY (bulk, run)) WITHOUT ROWID;
CREATE TABLE token (
      id BIGINT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
      project TEXT, created_by TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT,
      last_used_at BIGINT);
CREATE TABLE preference (token BIGINT PRIMARY KEY, body TEXT NOT NULL, saved_at BIGINT NOT NULL);
CREATE TABLE saved_view (project TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, badge BIGINT NOT NULL, author TEXT NOT NULL,
      saved_at BIGINT NOT NULL, PRIMARY KEY (project, name)) WITHOUT ROWID;
CREATE TABLE audit (
      id BIGINT PRIMARY KEY, created_at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
      subject TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE period (
    workflow BIGINT NOT NULL, business_time BIGINT NOT NULL, run BIGINT NOT NULL, PRIMARY KEY (workflow, business_time));
CREATE TABLE schedule_edit (schedule BIGINT PRIMARY KEY, revision BIGINT NOT NULL);
INSERT INTO schedule_edit VALUES(2,1);
CREATE TABLE generation (number BIGINT NOT NULL);
INSERT INTO generation VALUES(1);
DELETE FROM sqlite_sequence;
CREATE INDEX workflow_version_age ON workflow_version (created_at);
CREATE INDEX workflow_use_of ON workflow_use (workflow);
CREATE INDEX workflow_use_trigger ON workflow_use (project, name) WHERE used_as = 'trigger';
CREATE INDEX deadline_due ON deadline (due);
CREATE INDEX alert_age ON alert (at);
CREATE INDEX workflow_need_of ON workflow_need (workflow);
CREATE INDEX tick_due ON tick (due, schedule);
CREATE INDEX tick_skip_due ON tick_skip (first_due, schedule);
CREATE INDEX tick_skip_age ON tick_skip (recorded_at);
CREATE INDEX command_order ON command (priority, seq);
CREATE INDEX command_limited ON command (workflow, seq) WHERE limited = 1;
CREATE INDEX command_replay ON command (replay_of, seq) WHERE replay_of IS NOT NULL;
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX run_by_workflow ON run (workflow, id);
CREATE INDEX run_open ON run (id) WHERE standing = 0;
CREATE INDEX run_bad ON run (id) WHERE standing = 2;
CREATE INDEX run_bad_of ON run (workflow, id) WHERE standing = 2;
CREATE INDEX run_owned ON run (owner) WHERE owner IS NOT NULL;
CREATE INDEX run_tagged ON run (id) WHERE tags IS NOT NULL;
CREATE INDEX run_child ON run (parent, parent_task, parent_element) WHERE parent IS NOT NULL;
CREATE INDEX run_replay ON run (replay_of, id) WHERE replay_of IS NOT NULL;
CREATE INDEX inbox_of_run ON inbox (run, seq);
CREATE INDEX ready_order ON ready (worker_group, run_priority, run, task_priority, task, shard) WHERE target IS NULL;
CREATE INDEX ready_target ON ready (target, worker_group, run_priority, run, task_priority, task, shard)
      WHERE target IS NOT NULL;
CREATE INDEX ready_avoid ON ready (avoid, worker_group) WHERE avoid IS NOT NULL;
CREATE INDEX assignment_of_worker ON assignment (worker, worker_epoch);
CREATE INDEX limit_slot_of ON limit_slot (run, task, shard, number);
CREATE INDEX limit_wait_order ON limit_wait (name, owner, priority, seq);
CREATE INDEX limit_wait_line ON limit_wait (workflow, seq) WHERE workflow IS NOT NULL;
CREATE INDEX dependency_wait_look ON dependency_wait (look_at);
CREATE INDEX dependency_on_wait ON dependency_on (run, task, round);
CREATE INDEX history_of ON history (kind, subject, seq);
CREATE INDEX bulk_open ON bulk (revision, id) WHERE state = 'running';
CREATE INDEX bulk_ended ON bulk (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX bulk_run_outcome ON bulk_run (bulk, outcome, run);
CREATE INDEX run_open_of ON run (workflow, business_time) WHERE standing = 0;
CREATE INDEX period_run ON period (run);
CREATE INDEX command_child ON command (parent, parent_task) WHERE parent IS NOT NULL;
CREATE INDEX schedule_due ON schedule (next_due, id) WHERE enabled = 1 AND next_due IS NOT NULL;
CREATE INDEX schedule_edit_revision ON schedule_edit (revision);
COMMIT;
