/**
 * Executors of stock Spark as pods: Spark's own backend for Kubernetes asks for them, and this
 * machine starts them as containers, with namespaces and control groups of the kernel alone. Needs
 * root.
 */
package io.sluice.it.pod;
