package io.sluice.local.task;

import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Class loaders with all that a job brings, one for each of its tasks that run at a time: static
 * fields of the job's classes are then shared by tasks that follow each other, and not by those
 * beside each other. What the process had on its class path before is shared by all.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it after its tasks.
 */
final class TaskLoaders implements Closeable {
  private final URL[] urls;
  private final List<URLClassLoader> all = new ArrayList<>();
  private final ArrayDeque<URLClassLoader> idle = new ArrayDeque<>();

  private TaskLoaders(URL[] urls) {
    this.urls = urls;
  }

  /**
   * For a job with that class loader.
   *
   * @throws IOException if it does not say where its classes come from
   */
  static TaskLoaders of(ClassLoader ofJob) throws IOException {
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
    return new TaskLoaders(urls.toArray(URL[]::new));
  }

  /** One that no other task uses now. */
  synchronized ClassLoader take() {
    URLClassLoader taken = idle.poll();
    if (taken == null) {
      taken = new URLClassLoader(urls, ClassLoader.getSystemClassLoader());
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
