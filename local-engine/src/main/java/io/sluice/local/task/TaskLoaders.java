package io.sluice.local.task;

import io.sluice.local.conf.Isolation;
import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ApplicationClassLoader;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.util.StringUtils;

/**
 * Class loaders for the tasks of a job that run at a time: static fields of the classes that they
 * load are then shared by tasks that follow each other, and not by those beside each other.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it after its tasks.
 */
final class TaskLoaders implements Closeable {
  /** What has handed the task its loader, and logging, which is the process's. */
  private static final List<String> SHARED =
      List.of("io.sluice.", "org.slf4j.", "org.apache.logging.");

  private final Function<ClassLoader, URLClassLoader> below;
  private final List<URLClassLoader> all = new ArrayList<>();
  private final ArrayDeque<URLClassLoader> idle = new ArrayDeque<>();

  private TaskLoaders(Function<ClassLoader, URLClassLoader> below) {
    this.below = below;
  }

  /**
   * For a job, by what its own class loader has.
   *
   * @throws IOException if that does not say where its classes come from
   */
  static TaskLoaders of(JobConf job, Isolation isolation) throws IOException {
    List<URL> brought = brought(job.getClassLoader());
    if (isolation == Isolation.JOB_CLASSES) {
      URL[] urls = brought.toArray(URL[]::new);
      return new TaskLoaders(parent -> new URLClassLoader(urls, parent));
    }
    List<URL> every = classPath();
    every.addAll(brought);
    URL[] urls = every.toArray(URL[]::new);
    List<String> shared = new ArrayList<>(SHARED);
    shared.addAll(
        StringUtils.getTrimmedStringCollection(
            job.get(
                MRJobConfig.MAPREDUCE_JOB_CLASSLOADER_SYSTEM_CLASSES,
                ApplicationClassLoader.SYSTEM_CLASSES_DEFAULT)));
    return new TaskLoaders(parent -> new ApplicationClassLoader(urls, parent, shared));
  }

  private static List<URL> brought(ClassLoader ofJob) throws IOException {
    List<URL> urls = new ArrayList<>();
    ClassLoader system = ClassLoader.getSystemClassLoader();
    for (ClassLoader each = ofJob; each != null && each != system; each = each.getParent()) {
      if (!(each instanceof URLClassLoader of)) {
        throw new IOException(
            "tasks cannot have class loaders of their own, since "
                + each
                + " does not say where its classes come from");
      }
      urls.addAll(0, Arrays.asList(of.getURLs()));
    }
    return urls;
  }

  private static List<URL> classPath() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls;
  }

  /** One that no other task uses now. */
  synchronized ClassLoader take() {
    URLClassLoader taken = idle.poll();
    if (taken == null) {
      taken = below.apply(ClassLoader.getSystemClassLoader());
      all.add(taken);
    }
    return taken;
  }

  /** The task has ended. */
  synchronized void giveBack(ClassLoader taken) {
    idle.push((URLClassLoader) taken);
  }

  @Override
  public synchronized void close() throws IOException {
    try {
      PigMemory.stopWatching(all);
      Closing.all(all);
    } finally {
      forgetClasses();
    }
  }

  /** Hadoop keeps the constructor of every class that it has made something of, for ever. */
  private static void forgetClasses() throws IOException {
    try {
      Method clear = ReflectionUtils.class.getDeclaredMethod("clearCache");
      clear.setAccessible(true);
      clear.invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this release of Hadoop does not forget classes", e);
    }
  }
}
