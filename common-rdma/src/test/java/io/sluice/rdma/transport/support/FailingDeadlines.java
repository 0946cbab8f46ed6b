package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;

/** Lets an endpoint start no deadline: the set of those that are started throws an error. */
public final class FailingDeadlines {
  private FailingDeadlines() {}

  /** Calls {@code action} while the endpoint of a registered buffer can start no deadline. */
  public static <T> T during(RegisteredBuffer registered, Error failure, Callable<T> action)
      throws Exception {
    ClientResources resources = ((EndpointBuffer) registered.registration()).resources();
    return during(resources.deadlines(), failure, action);
  }

  static <T> T during(Deadlines deadlines, Error failure, Callable<T> action) throws Exception {
    Field pending = Deadlines.class.getDeclaredField("pending");
    pending.setAccessible(true);
    Object former = pending.get(deadlines);
    pending.set(deadlines, new FailingSet(failure));
    try {
      return action.call();
    } finally {
      pending.set(deadlines, former);
    }
  }

  private static final class FailingSet extends ConcurrentSkipListSet<Object> {
    private static final long serialVersionUID = 1L;

    private final Error failure;

    FailingSet(Error failure) {
      super(Comparator.comparingInt(System::identityHashCode));
      this.failure = failure;
    }

    @Override
    public boolean add(Object deadline) {
      throw failure;
    }
  }
}
