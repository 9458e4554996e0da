/*
 * settings.h
 *	  The settings, as gpucompact.c defines them.
 */
#ifndef GPUCOMPACT_SETTINGS_H
#define GPUCOMPACT_SETTINGS_H

typedef enum EngineSetting
{
	ENGINE_AUTO,
	ENGINE_CPU,
	ENGINE_CUDA,
	ENGINE_EAGER				/* auto, as if the GPU took no time: for tests */
} EngineSetting;

extern int	setting_engine;		/* an EngineSetting */
extern int	setting_algorithm;	/* an EngineAlgorithm */
extern int	setting_device;
extern int	setting_device_memory_limit;	/* MB; 0: none */
extern int	setting_cpu_threads;	/* 0: as many as is sensible */

#endif							/* GPUCOMPACT_SETTINGS_H */
