package foreign.pig;

import org.apache.pig.impl.plan.OperatorPlan;
import org.apache.pig.tools.pigstats.JobStats;
import org.apache.pig.tools.pigstats.OutputStats;
import org.apache.pig.tools.pigstats.PigProgressNotificationListener;

/** Prints the counters of a script's jobs, of which Pig's command line shows some alone. */
public final class CountersListener implements PigProgressNotificationListener {
  @Override
  public void jobFinishedNotification(String script, JobStats job) {
    System.out.println(job.getHadoopCounters());
  }

  @Override
  public void initialPlanNotification(String script, OperatorPlan<?> plan) {}

  @Override
  public void launchStartedNotification(String script, int jobs) {}

  @Override
  public void jobsSubmittedNotification(String script, int jobs) {}

  @Override
  public void jobStartedNotification(String script, String job) {}

  @Override
  public void jobFailedNotification(String script, JobStats job) {}

  @Override
  public void outputCompletedNotification(String script, OutputStats output) {}

  @Override
  public void progressUpdatedNotification(String script, int percent) {}

  @Override
  public void launchCompletedNotification(String script, int jobs) {}
}
