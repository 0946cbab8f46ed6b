package io.sluice.rdma.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
  /** Has one made, in a class of a task. */
  public static final class Task implements Callable<Thread> {
    private static final InheritableThreadLocal<Object> OWN = new InheritableThreadLocal<>();
    private final Runnable body;

    public Task(Runnable body) {
      this.body = body;
    }

    @Override
    public Thread call() {
      OWN.set(this);
      return DaemonThreads.create("sluice-test", body);
    }
  }

  /** With a copy of that class. */
  private static final class TaskLoader extends ClassLoader {
    TaskLoader() {
      super(DaemonThreadsTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Task.class.getName())) {
        return super.loadClass(name, resolve);
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** A task's own. */
  private static final class TaskThread extends Thread {
    private final ClassLoader loader = new TaskLoader();
    private final Runnable body;
    private Object made;

    TaskThread(Runnable body) {
      super(new ThreadGroup("task"), "task");
      this.body = body;
      setContextClassLoader(loader);
    }

    @Override
    public void run() {
      try {
        made =
            ((Callable<?>)
                    loader
                        .loadClass(Task.class.getName())
                        .getConstructor(Runnable.class)
                        .newInstance(body))
                .call();
      } catch (Exception e) {
        made = e;
      }
    }
  }

  private static Thread made(Runnable body, AtomicReference<WeakReference<ClassLoader>> loader)
      throws Exception {
    TaskThread task = new TaskThread(body);
    loader.set(new WeakReference<>(task.loader));
    task.start();
    task.join();
    return (Thread) task.made;
  }

  @Test
  void whoWaitsForAnEndIsInterruptedBehindIt() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    Thread thread = DaemonThreads.create("sluice-test", () -> await(over));
    assertTrue(DaemonThreads.awaitEnd(thread, 60_000), "it was never started");
    thread.start();
    assertFalse(DaemonThreads.awaitEnd(thread, 10));
    CompletableFuture<Boolean> waits = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              boolean ended = DaemonThreads.awaitEnd(thread, 60_000);
              waits.complete(ended && Thread.interrupted());
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    over.countDown();
    assertTrue(waits.get(60, TimeUnit.SECONDS), "it waited for the end, and is interrupted");
  }

  @Test
  void oneKeepsNothingOfTheTaskThatHasMadeIt() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    AtomicReference<WeakReference<ClassLoader>> loader = new AtomicReference<>();
    Thread thread = made(() -> await(over), loader);
    thread.start();
    try {
      long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (loader.get().get() != null) {
        assertTrue(System.nanoTime() < deadlineNs, "its classes are still there");
        System.gc();
      }
      assertTrue(thread.isAlive());
      assertNotEquals("task", thread.getThreadGroup().getName());
      assertSame(DaemonThreads.class.getClassLoader(), thread.getContextClassLoader());
    } finally {
      over.countDown();
      thread.join();
    }
  }

  private static void await(CountDownLatch over) {
    try {
      over.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A NodeManager ends by an error that reaches this handler, and an executor of Spark's too. */
  @Test
  void whatOneDiesOfNeverReachesTheProcess() throws Exception {
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
    long unsaid = SafeLog.unsaid();
    try {
      for (Error error : List.of(new OutOfMemoryError("expected"), new UnsayableError())) {
        Thread thread =
            DaemonThreads.create(
                "sluice-test",
                () -> {
                  throw error;
                });
        assertTrue(thread.isDaemon());
        thread.start();
        thread.join();
      }
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertEquals(List.of(), uncaught);
    assertEquals(unsaid + 1, SafeLog.unsaid());
  }
}
