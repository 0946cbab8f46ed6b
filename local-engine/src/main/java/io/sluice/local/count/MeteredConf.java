package io.sluice.local.count;

import io.sluice.local.conf.TaskConf;
import java.net.URI;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The settings of one attempt. They give Hadoop's task code measured formats, and a file system
 * without counters. The call stack tells whether the task code asks; the user's code always gets
 * the job's own settings.
 *
 * <p>It differs from {@link TaskConf} in that it belongs to a running attempt.
 *
 * <p>Thread contract: that of a configuration.
 */
public final class MeteredConf extends TaskConf {
  private static final StackWalker CALLERS = StackWalker.getInstance();

  private static final Set<String> TASK_CODE =
      Set.of(MapTask.class.getName(), ReduceTask.class.getName());

  private static final Set<String> SETTINGS =
      Set.of(MeteredConf.class.getName(), JobConf.class.getName(), Configuration.class.getName());

  /** Classes through which the task code asks for a file system. */
  private static final Set<String> FILE_SYSTEMS =
      Set.of(Path.class.getName(), FileSystem.class.getName());

  private static final String UNCACHED = ".impl.disable.cache";
  private static final String IMPLEMENTATION = ".impl";

  private final TaskMeters meters;

  /** A copy of a job's settings. */
  public MeteredConf(JobConf job, TaskMeters meters) {
    super(job);
    this.meters = meters;
  }

  TaskMeters meters() {
    return meters;
  }

  @Override
  public boolean getBoolean(String name, boolean otherwise) {
    return name.endsWith(UNCACHED) && isForCounting() || super.getBoolean(name, otherwise);
  }

  @Override
  public Class<?> getClass(String name, Class<?> otherwise) {
    if (MRJobConfig.INPUT_FORMAT_CLASS_ATTR.equals(name)
        && isAskedByTaskCode(Set.of(JobContextImpl.class.getName()))) {
      return MeteredFormats.Input.class;
    }
    if (name.endsWith(IMPLEMENTATION) && isForCounting()) {
      return UncountedFileSystem.class;
    }
    return super.getClass(name, otherwise);
  }

  /** The job's own input format, of the new API. */
  org.apache.hadoop.mapreduce.InputFormat<?, ?> newInputFormat() {
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
    return isAskedByTaskCode(Set.of()) ? new MeteredOldFormats.Input<>(real, meters.input()) : real;
  }

  @Override
  public OutputFormat<?, ?> getOutputFormat() {
    OutputFormat<?, ?> real = super.getOutputFormat();
    return real instanceof FileOutputFormat<?, ?> && isAskedByTaskCode(Set.of())
        ? new MeteredOldFormats.Output<>(real, meters.output())
        : real;
  }

  /**
   * Whether Hadoop's task code asks.
   *
   * @param through classes between the caller and the settings
   */
  private static boolean isAskedByTaskCode(Set<String> through) {
    String caller = caller(through).getClassName();
    int inner = caller.indexOf('$');
    return TASK_CODE.contains(inner < 0 ? caller : caller.substring(0, inner));
  }

  /**
   * Whether Hadoop's task code asks for the file system of a path to read its counters. Before and
   * after each record it would add up the counters of all threads, under a lock: 40% of the CPU
   * time of a TeraSort.
   */
  private static boolean isForCounting() {
    StackWalker.StackFrame caller = caller(FILE_SYSTEMS);
    return caller.getMethodName().equals("getFsStatistics")
        && caller.getClassName().equals(Task.class.getName());
  }

  private static StackWalker.StackFrame caller(Set<String> through) {
    return CALLERS.walk(
        frames ->
            frames
                .dropWhile(
                    frame ->
                        SETTINGS.contains(frame.getClassName())
                            || through.contains(frame.getClassName()))
                .findFirst()
                .orElseThrow());
  }

  /**
   * The file system that Hadoop's task code gets when it asks for counters. Its scheme has no
   * counters, and no other method is called.
   *
   * <p>Thread contract: safe from any thread. Ownership: it holds nothing.
   */
  static final class UncountedFileSystem extends FilterFileSystem {
    private static final URI ROOT = URI.create("sluice-uncounted:/");

    /** Made by Hadoop. */
    UncountedFileSystem() {}

    @Override
    public void initialize(URI name, Configuration conf) {
      // Registers no counters.
    }

    @Override
    public Path makeQualified(Path path) {
      return new Path(ROOT);
    }
  }
}
