package io.sluice.local.count;

import java.util.Set;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.ReduceTask;
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
  private static final StackWalker CALLERS = StackWalker.getInstance();
  private static final Set<String> TASK_CODE =
      Set.of(MapTask.class.getName(), ReduceTask.class.getName());

  private final TaskMeters meters;
  private boolean mapAsks;

  /**
   * A copy of a job's settings.
   *
   * @param isMap whether the first who asks for the input format is Hadoop's map task
   */
  public TaskConf(JobConf job, TaskMeters meters, boolean isMap) {
    super(job);
    this.meters = meters;
    this.mapAsks = isMap;
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
    boolean measures = isAskedByTaskCode();
    InputFormat<?, ?> real = super.getInputFormat();
    return measures ? new MeteredOldFormats.Input<>(real, meters.input()) : real;
  }

  @Override
  public OutputFormat<?, ?> getOutputFormat() {
    boolean measures = isAskedByTaskCode();
    OutputFormat<?, ?> real = super.getOutputFormat();
    return measures && real instanceof FileOutputFormat<?, ?>
        ? new MeteredOldFormats.Output<>(real, meters.output())
        : real;
  }

  /** Whoever else asks may want the format for what it is, and gets that. */
  private static boolean isAskedByTaskCode() {
    return CALLERS.walk(
        frames ->
            frames
                .skip(2) // this, and the method that it is asked through
                .findFirst()
                .map(caller -> TASK_CODE.contains(outermost(caller.getClassName())))
                .orElse(false));
  }

  private static String outermost(String className) {
    int inner = className.indexOf('$');
    return inner < 0 ? className : className.substring(0, inner);
  }
}
