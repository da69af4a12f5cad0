"""Lessons as data, and the engine that plays them: short games with scripted luck and a scripted opponent."""

from clerestory.server.lessons.course import Course, NotAllowed
from clerestory.server.lessons.lesson import BadLesson, Lesson, NoLesson
from clerestory.server.lessons.offer import lesson, lessons

__all__ = ["BadLesson", "Course", "Lesson", "NoLesson", "NotAllowed", "lesson", "lessons"]
