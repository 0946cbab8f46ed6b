package io.sluice.hadoop.reduce;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;

/** Remembers what a schedule said. */
class RecordingListener implements FetchSchedule.Listener {
  final List<TaskAttemptID> reported = new ArrayList<>();
  int failedFetches;
  int doneMaps;

  @Override
  public void reportFetchFailure(TaskAttemptID map) {
    reported.add(map);
  }

  @Override
  public void fetchFailed() {
    failedFetches++;
  }

  @Override
  public void progress(int doneMaps, int totalMaps) {
    this.doneMaps = doneMaps;
  }
}
