package io.sluice.local.count;

import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * An attempt's own settings, through which Hadoop's task code gets formats whose readers and
 * writers are measured. Everything that the user's code sees of them is as the job has set it.
 *
 * <p>Thread contract: as any configuration.
 */
public final class TaskConf extends JobConf implements JobInput {
  private final TaskMeters meters;
  private boolean mapAsks;
  private boolean oldMapAsks;

  /**
   * A copy of a job's settings.
   *
   * @param isMap whether the first who asks for the input format is Hadoop's map task
   */
  public TaskConf(JobConf job, TaskMeters meters, boolean isMap) {
    super(job);
    this.meters = meters;
    this.mapAsks = isMap;
    this.oldMapAsks = isMap;
  }

  @Override
  public IoMeter inputMeter() {
    return meters.input();
  }

  TaskMeters meters() {
    return meters;
  }

  @Override
  public Class<?> getClass(String name, Class<?> otherwise) {
    if (mapAsks && MRJobConfig.INPUT_FORMAT_CLASS_ATTR.equals(name)) {
      mapAsks = false;
      return MeteredInput.class;
    }
    return super.getClass(name, otherwise);
  }

  @Override
  public Class<?> getClassByName(String name) throws ClassNotFoundException {
    return MeteredSplits.inPlaceOf(super.getClassByName(name));
  }

  @Override
  public org.apache.hadoop.mapreduce.InputFormat<?, ?> newInputFormat() {
    return ReflectionUtils.newInstance(
        getClass(
            MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
            TextInputFormat.class,
            org.apache.hadoop.mapreduce.InputFormat.class),
        this);
  }

  @Override
  public InputFormat<?, ?> getInputFormat() {
    InputFormat<?, ?> real = super.getInputFormat();
    if (!oldMapAsks) {
      return real; // mappers ask for its class: stock's FieldSelectionMapReduce does
    }
    oldMapAsks = false;
    return new MeteredOldFormats.Input<>(real, meters.input());
  }

  @Override
  public OutputFormat<?, ?> getOutputFormat() {
    OutputFormat<?, ?> real = super.getOutputFormat();
    return real instanceof FileOutputFormat<?, ?>
        ? new MeteredOldFormats.Output<>(real, meters.output())
        : real;
  }
}
