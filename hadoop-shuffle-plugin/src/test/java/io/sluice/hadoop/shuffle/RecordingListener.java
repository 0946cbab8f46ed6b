package io.sluice.hadoop.shuffle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.mapred.TaskAttemptID;

/** Remembers what a schedule said. */
final class RecordingListener implements FetchSchedule.Listener {
  final List<TaskAttemptID> reported = new ArrayList<>();
  final List<TaskAttemptID> lost = new ArrayList<>();
  final List<TaskAttemptID> withdrawn = new ArrayList<>();
  final Set<TaskAttemptID> resident = new HashSet<>();
  int failedFetches;
  int doneMaps;

  @Override
  public void reportFetchFailure(TaskAttemptID map) {
    reported.add(map);
  }

  @Override
  public void reportLoss(TaskAttemptID map) {
    lost.add(map);
  }

  @Override
  public void fetchFailed() {
    failedFetches++;
  }

  @Override
  public boolean withdraw(TaskAttemptID map) {
    if (resident.contains(map)) {
      return false;
    }
    withdrawn.add(map);
    return true;
  }

  @Override
  public void progress(int doneMaps, int totalMaps) {
    this.doneMaps = doneMaps;
  }
}
