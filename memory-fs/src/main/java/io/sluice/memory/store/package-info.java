/** The store for map outputs and files of one process. */
package io.sluice.memory.store;
