/*
 * settings.h
 *	  The settings, as gpucompact.c defines them.
 */
#ifndef GPUCOMPACT_SETTINGS_H
#define GPUCOMPACT_SETTINGS_H

/* gpucompact.engine is the number of an engine, or one of these. */
#define ENGINE_AUTO		(-1)
#define ENGINE_EAGER	(-2)	/* auto, as if a GPU took no time: for tests */

extern int	setting_engine;
extern int	setting_algorithm;	/* an EngineAlgorithm */
extern int	setting_device;
extern int	setting_device_memory_limit;	/* MB; 0: none */
extern int	setting_cpu_threads;	/* 0: as many as is sensible */

#endif							/* GPUCOMPACT_SETTINGS_H */
