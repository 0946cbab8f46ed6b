package foreign.hive;

import org.apache.hadoop.hive.ql.hooks.ExecuteWithHookContext;
import org.apache.hadoop.hive.ql.hooks.HookContext;
import org.apache.hadoop.hive.ql.session.SessionState;

/** Prints the counters of a query's jobs, which Hive's command line keeps to itself. */
public final class CountersHook implements ExecuteWithHookContext {
  @Override
  public void run(HookContext context) {
    SessionState.get().getMapRedStats().values().stream()
        .filter(stats -> stats.getCounters() != null)
        .forEach(stats -> System.out.println(stats.getCounters()));
  }
}
