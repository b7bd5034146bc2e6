import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.api.ShardingContext;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/**
 * Runs one job as plain ElasticJob does, and prints a line of JSON for each shard that begins and ends. Arguments: the
 * address of ZooKeeper, the namespace, the number of shards, "overwrite" or "keep", and a cron if it is to fire. Lines of
 * input: "takes MILLISECONDS" for the shards from then on, "stop" to end in good order.
 */
public final class SharedJob implements SimpleJob {
    private static volatile long takes;

    @Override
    public void execute(final ShardingContext context) {
        print("{\"began\":" + context.getShardingItem() + ",\"total\":" + context.getShardingTotalCount()
                + ",\"at\":" + System.currentTimeMillis()
                + ",\"parameter\":\"" + context.getShardingParameter() + "\"}");
        try {
            Thread.sleep(takes);
        } catch (final InterruptedException ignored) {
            Thread.currentThread().interrupt();
        }
        print("{\"ended\":" + context.getShardingItem() + "}");
    }

    private static synchronized void print(final String line) {
        System.out.println(line);
    }

    public static void main(final String[] args) throws Exception {
        ZookeeperConfiguration zookeeper = new ZookeeperConfiguration(args[0], args[1]);
        zookeeper.setSessionTimeoutMilliseconds(4000);
        ZookeeperRegistryCenter center = new ZookeeperRegistryCenter(zookeeper);
        center.init();
        JobConfiguration job = JobConfiguration.newBuilder("shared", Integer.parseInt(args[2]))
                .cron(args.length > 4 ? args[4] : "0 0 0 1 1 ? 2099").failover(true).overwrite(args[3].equals("overwrite"))
                .shardingItemParameters("0=zero").build();
        ScheduleJobBootstrap bootstrap = new ScheduleJobBootstrap(center, new SharedJob(), job);
        bootstrap.schedule();
        print("{\"started\":" + ProcessHandle.current().pid() + "}");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null && !line.equals("stop"); line = input.readLine()) {
            takes = Long.parseLong(line.substring("takes ".length()));
            print("{\"takes\":" + takes + "}");
        }
        System.exit(0);
    }
}
