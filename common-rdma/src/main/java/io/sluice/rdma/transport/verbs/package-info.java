/**
 * One-sided reads through libibverbs, which is called directly: nothing but rdma-core is needed.
 *
 * <p>{@link io.sluice.rdma.transport.verbs.VerbsProvider} is the entry. All native calls are in
 * {@code LibVerbs}, and all layouts of native memory in {@code VerbsLayout}.
 */
package io.sluice.rdma.transport.verbs;
