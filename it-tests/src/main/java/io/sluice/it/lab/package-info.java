/**
 * Real verbs and real persistent memory on any Linux machine: a QEMU guest with a soft RDMA device
 * and NVDIMMs, and the suites that run in it.
 */
package io.sluice.it.lab;
